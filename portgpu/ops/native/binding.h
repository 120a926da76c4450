/* What the parts of the compiled binding share. Python's limited API of 3.11. */
#ifndef PORTGPU_BINDING_H
#define PORTGPU_BINDING_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <stddef.h>
#include <stdint.h>

#include "pg_ops_abi.h"

enum { MAX_TENSORS = 12, MAX_PARAMS = 16, MAX_SLOTS = 32, MAX_INTS = 24, MAX_DOUBLES = 8, SCALARS = 256 };

/* DLPack 1.3, by its specification. */
typedef struct { int32_t type, id; } dl_device;
typedef struct { uint8_t code, bits; uint16_t lanes; } dl_dtype;
typedef struct {
  void* data;
  dl_device device;
  int32_t ndim;
  dl_dtype dtype;
  int64_t *shape, *strides;
  uint64_t byte_offset;
} dl_tensor;
typedef struct dl_managed {
  uint32_t major, minor;
  void* context;
  void (*deleter)(struct dl_managed*);
  uint64_t flags;
  dl_tensor tensor;
} dl_managed;
typedef struct dl_exchange {
  uint32_t major, minor;
  struct dl_exchange* previous;
  int (*allocate)(dl_tensor* like, dl_managed** out, void* context,
                  void (*set_error)(void* context, const char* kind, const char* message));
  int (*managed_from_object)(void* object, dl_managed** out);
  int (*object_from_managed)(dl_managed* tensor, void** out);
  int (*tensor_from_object)(void* object, dl_tensor* out);
  int (*current_stream)(int32_t device_type, int32_t device_id, void** out);
} dl_exchange;

/* How an argument was read, which decides how a result beside it is made. */
enum origin { FROM_NONE, FROM_NUMPY, FROM_EXCHANGE, FROM_DEVICE_ARRAY, FROM_SCALAR };

typedef struct {
  pg_tensor t;
  dl_device device;
  enum origin from;
  const dl_exchange* exchange;
  void* stream; /* of a DeviceArray */
  int writable;
  int has_buffer;
  Py_buffer buffer;
  int64_t shape[PG_MAX_NDIM], strides[PG_MAX_NDIM];
} argument;

/* The head of DeviceArray._packed; the extents follow. */
typedef struct {
  uint64_t data, stream;
  int32_t dtype, ndim, device_type, device_id;
} packed;

typedef struct { uint64_t bits; int32_t dtype, device; void* data; } scalar;

/* One op library in this process. */
typedef struct {
  void* handle;
  int index, is_cpu, devices, slow; /* slow: everything goes through Python, as during a capture */
  uint32_t accepted;                /* bit n: DLPack device type n */
  dl_device device;                 /* type of its own arrays */
  int (*get_device)(int*);
  int (*set_device)(int);
  int (*alloc)(void**, size_t, int, void*);
  int (*release)(void*, void*);
  int (*synchronize)(void*);
  PyObject *python, *fail, *array_type, *ndarray, *np_empty;
  PyObject* np_types[PG_F64 + 1];
  PyObject* pg_types[PG_F64 + 1];
  scalar scalars[SCALARS];
  int n_scalars;
} library;

enum rule { RULE_PYTHON, RULE_BROADCAST, RULE_SAME, RULE_REDUCE, RULE_ARG_REDUCE, RULE_MATMUL };
enum slot_kind { SLOT_INPUT, SLOT_OUTPUT, SLOT_PARAM, SLOT_KEEPDIMS, SLOT_OUT, SLOT_STREAM, SLOT_OTHER };

typedef struct { enum slot_kind kind; int at; PyObject *name, *fallback; } slot;
typedef struct { char type; PyObject* choices; } param;

/* One op: all that a call needs, made from the registry. */
typedef struct {
  library* lib;
  PyMethodDef def;
  void *run, *query;
  int n_inputs, n_outputs, n_params, n_slots, n_positional, inout;
  int optional[MAX_TENSORS], indices[MAX_TENSORS], own[MAX_TENSORS]; /* own: has element types of its own */
  int out_dtype[MAX_TENSORS]; /* code, -1 the main input's, -2 only Python knows */
  enum rule rule;
  slot slots[MAX_SLOTS];
  param params[MAX_PARAMS];
  PyObject* python; /* the function that takes every call */
} function;

/* arguments.c: 1 read, 0 not for this path, -1 never with an exception set. */
int read_argument(library* lib, PyObject* object, argument* out);
int read_number(library* lib, PyObject* object, int dtype, int device, argument* out);
void drop_argument(argument* a);
void setup_names(void);

/* results.c: a new reference, or NULL without an exception (Python takes over). */
PyObject* make_result(library* lib, const argument* like, int dtype, int ndim, const int64_t* shape, void* stream,
                      argument* out);
int result_shape(const function* f, const argument* in, const int64_t* axes, int n_axes, int keepdims, int* ndim,
                 int64_t* shape);

extern const int dtype_bytes[PG_F64 + 1];
void* current_stream(const library* lib);

#endif
