/* Shapes of results, and new arrays for them in the caller's framework. */
#include <string.h>

#include "binding.h"

static int broadcast(const function* f, const argument* in, int* ndim, int64_t* shape) {
  int rank = 0;
  for (int i = 0; i < f->n_inputs; ++i)
    if (in[i].from != FROM_NONE && in[i].t.ndim > rank) rank = in[i].t.ndim;
  for (int d = 0; d < rank; ++d) shape[d] = 1;
  for (int i = 0; i < f->n_inputs; ++i) {
    if (in[i].from == FROM_NONE) continue;
    const int lead = rank - in[i].t.ndim;
    for (int d = 0; d < in[i].t.ndim; ++d) {
      const int64_t n = in[i].t.shape[d];
      if (n == 1) continue;
      if (shape[lead + d] != 1 && shape[lead + d] != n) return 0;
      shape[lead + d] = n;
    }
  }
  *ndim = rank;
  return 1;
}

static int reduced(const argument* x, const int64_t* axes, int n_axes, int keepdims, int* ndim, int64_t* shape) {
  char gone[PG_MAX_NDIM] = {0};
  for (int i = 0; i < n_axes; ++i) {
    const int64_t a = axes[i] < 0 ? axes[i] + x->t.ndim : axes[i];
    if (a < 0 || a >= x->t.ndim || gone[a]) return 0;
    gone[a] = 1;
  }
  int n = 0;
  for (int d = 0; d < x->t.ndim; ++d) {
    const int out = n_axes == 0 || gone[d];
    if (!out) shape[n++] = x->t.shape[d];
    else if (keepdims) shape[n++] = 1;
  }
  *ndim = n;
  return 1;
}

/* 1 when the shape is known here. Without axes all are meant. */
int result_shape(const function* f, const argument* in, const int64_t* axes, int n_axes, int keepdims, int* ndim,
                 int64_t* shape) {
  switch (f->rule) {
    case RULE_BROADCAST: return broadcast(f, in, ndim, shape);
    case RULE_SAME:
      *ndim = in[0].t.ndim;
      memcpy(shape, in[0].t.shape, 8 * (size_t)*ndim);
      return 1;
    case RULE_REDUCE:
    case RULE_ARG_REDUCE: return reduced(&in[0], axes, n_axes, keepdims, ndim, shape);
    case RULE_MATMUL:
      if (in[0].t.ndim != 2 || in[1].t.ndim != 2 || in[0].t.shape[1] != in[1].t.shape[0]) return 0;
      *ndim = 2;
      shape[0] = in[0].t.shape[0];
      shape[1] = in[1].t.shape[1];
      return 1;
    default: return 0;
  }
}

static PyObject* shape_tuple(int ndim, const int64_t* shape) {
  PyObject* tuple = PyTuple_New(ndim);
  for (int d = 0; tuple != NULL && d < ndim; ++d) {
    PyObject* n = PyLong_FromLongLong(shape[d]);
    if (n == NULL || PyTuple_SetItem(tuple, d, n) != 0) {
      Py_CLEAR(tuple);
    }
  }
  return tuple;
}

static void quiet(void* context, const char* kind, const char* message) {
  (void)context;
  (void)kind;
  (void)message;
}

static PyObject* from_exchange(const argument* like, int dtype, argument* out) {
  static const dl_dtype types[PG_F64 + 1] = {{6, 8, 1},  {1, 8, 1},  {0, 8, 1},  {1, 16, 1}, {0, 16, 1},
                                             {1, 32, 1}, {0, 32, 1}, {1, 64, 1}, {0, 64, 1}, {2, 16, 1},
                                             {4, 16, 1}, {2, 32, 1}, {2, 64, 1}};
  dl_tensor wanted = {NULL, like->device, out->t.ndim, types[dtype], out->shape, NULL, 0};
  dl_managed* made = NULL;
  void* object = NULL;
  if (like->exchange->allocate == NULL || like->exchange->object_from_managed == NULL) return NULL;
  if (like->exchange->allocate(&wanted, &made, NULL, quiet) != 0 || made == NULL) return NULL;
  out->t.data = (char*)made->tensor.data + made->tensor.byte_offset;
  if (like->exchange->object_from_managed(made, &object) != 0) return NULL;
  return (PyObject*)object;
}

static PyObject* device_array(library* lib, const argument* like, int dtype, void* stream, argument* out) {
  size_t bytes = (size_t)dtype_bytes[dtype];
  for (int d = 0; d < out->t.ndim; ++d) bytes *= (size_t)out->shape[d];
  if (lib->alloc(&out->t.data, bytes, PG_MEMORY_DEVICE, stream) != PG_OK) return NULL;
  const packed head = {(uint64_t)(uintptr_t)out->t.data, (uint64_t)(uintptr_t)stream, dtype, out->t.ndim,
                       lib->device.type, like->device.id};
  PyObject* bytes_object = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)sizeof head + 8 * out->t.ndim);
  PyObject* tuple = shape_tuple(out->t.ndim, out->shape);
  PyObject* made = NULL;
  if (bytes_object != NULL && tuple != NULL) {
    char* raw = PyBytes_AsString(bytes_object);
    memcpy(raw, &head, sizeof head);
    memcpy(raw + sizeof head, out->shape, 8 * (size_t)out->t.ndim);
    /* A class of Python's: its allocator and slots, without __init__. */
    allocfunc alloc = (allocfunc)PyType_GetSlot((PyTypeObject*)lib->array_type, Py_tp_alloc);
    made = alloc((PyTypeObject*)lib->array_type, 0);
    if (made != NULL &&
        (PyObject_SetAttrString(made, "_library", lib->python) != 0 ||
         PyObject_SetAttrString(made, "shape", tuple) != 0 ||
         PyObject_SetAttrString(made, "pg_dtype", lib->pg_types[dtype]) != 0 ||
         PyObject_SetAttrString(made, "_packed", bytes_object) != 0)) {
      Py_CLEAR(made);
    }
  }
  Py_XDECREF(bytes_object);
  Py_XDECREF(tuple);
  if (made == NULL) lib->release(out->t.data, stream);
  return made;
}

PyObject* make_result(library* lib, const argument* like, int dtype, int ndim, const int64_t* shape, void* stream,
                      argument* out) {
  memcpy(out->shape, shape, 8 * (size_t)ndim);
  const pg_tensor t = {NULL, dtype, ndim, out->shape, NULL};
  out->t = t;
  out->device = like->device;
  out->from = like->from;
  PyObject* made = NULL;
  if (like->from == FROM_EXCHANGE) {
    made = from_exchange(like, dtype, out);
  } else if (like->from == FROM_DEVICE_ARRAY) {
    made = device_array(lib, like, dtype, stream, out);
  } else if (like->from == FROM_NUMPY && lib->np_types[dtype] != NULL) {
    PyObject* tuple = shape_tuple(ndim, shape);
    if (tuple != NULL) made = PyObject_CallFunctionObjArgs(lib->np_empty, tuple, lib->np_types[dtype], NULL);
    Py_XDECREF(tuple);
    argument seen;
    memset(&seen, 0, offsetof(argument, shape));
    if (made != NULL) {
      if (!read_argument(lib, made, &seen)) Py_CLEAR(made);
      else out->t.data = seen.t.data;
      drop_argument(&seen); /* `made` keeps the memory */
    }
  }
  if (made == NULL) PyErr_Clear();
  return made;
}
