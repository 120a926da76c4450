// Values of hipDataType that older versions of HIP do not name; the numbers are CUDA's in every version.
#if !defined(PORTGPU_COMPAT_DATA_TYPES_H) && !defined(PGCPU) && !defined(PG_COMPAT_NVIDIA)
#define PORTGPU_COMPAT_DATA_TYPES_H

#include <hip/library_types.h>

#if HIP_VERSION < 60300000
#define HIP_R_8I static_cast<hipDataType>(3)
#define HIP_C_8I static_cast<hipDataType>(7)
#define HIP_R_8U static_cast<hipDataType>(8)
#define HIP_C_8U static_cast<hipDataType>(9)
#define HIP_R_32I static_cast<hipDataType>(10)
#define HIP_C_32I static_cast<hipDataType>(11)
#define HIP_R_32U static_cast<hipDataType>(12)
#define HIP_C_32U static_cast<hipDataType>(13)
#define HIP_R_16BF static_cast<hipDataType>(14)
#define HIP_C_16BF static_cast<hipDataType>(15)
#define HIP_R_4I static_cast<hipDataType>(16)
#define HIP_C_4I static_cast<hipDataType>(17)
#define HIP_R_4U static_cast<hipDataType>(18)
#define HIP_C_4U static_cast<hipDataType>(19)
#define HIP_R_16I static_cast<hipDataType>(20)
#define HIP_C_16I static_cast<hipDataType>(21)
#define HIP_R_16U static_cast<hipDataType>(22)
#define HIP_C_16U static_cast<hipDataType>(23)
#define HIP_R_64I static_cast<hipDataType>(24)
#define HIP_C_64I static_cast<hipDataType>(25)
#define HIP_R_64U static_cast<hipDataType>(26)
#define HIP_C_64U static_cast<hipDataType>(27)
#define HIP_R_8F_E4M3 static_cast<hipDataType>(28)
#define HIP_R_8F_E5M2 static_cast<hipDataType>(29)
#endif

#endif
