// nvcc lets device code call std::array::at and its like; what throws there traps. Before any header
// of the standard library that calls these.
#ifndef PORTGPU_SHADOW_THROWS_H
#define PORTGPU_SHADOW_THROWS_H

#if defined(__has_include)
#if __has_include(<bits/functexcept.h>)
#include <bits/functexcept.h>
#define PG_SHADOW_TRAP __attribute__((device, always_inline)) inline
namespace std {
PG_SHADOW_TRAP void __throw_out_of_range_fmt(const char*, ...) { __builtin_trap(); }
PG_SHADOW_TRAP void __throw_out_of_range(const char*) { __builtin_trap(); }
PG_SHADOW_TRAP void __throw_length_error(const char*) { __builtin_trap(); }
PG_SHADOW_TRAP void __throw_invalid_argument(const char*) { __builtin_trap(); }
PG_SHADOW_TRAP void __throw_logic_error(const char*) { __builtin_trap(); }
}  // namespace std
#undef PG_SHADOW_TRAP
#endif
#endif

#endif
