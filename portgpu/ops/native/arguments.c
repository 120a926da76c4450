/* Arrays in: NumPy by the buffer protocol, PyTorch and others by DLPack's C exchange, DeviceArray.
 * Whatever is not known here is left to Python. */
#include <string.h>

#include "binding.h"

const int dtype_bytes[PG_F64 + 1] = {1, 1, 1, 2, 2, 4, 4, 8, 8, 2, 2, 4, 8};

static PyObject *name_exchange, *name_packed, *name_grad;

void setup_names(void) {
  name_exchange = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
  name_packed = PyUnicode_InternFromString("_packed");
  name_grad = PyUnicode_InternFromString("requires_grad");
}

static int dtype_of_dlpack(dl_dtype d) {
  if (d.lanes != 1) return -1;
  const int log = d.bits == 8 ? 0 : d.bits == 16 ? 1 : d.bits == 32 ? 2 : d.bits == 64 ? 3 : -1;
  if (log < 0) return -1;
  static const int ints[] = {PG_I8, PG_I16, PG_I32, PG_I64}, uints[] = {PG_U8, PG_U16, PG_U32, PG_U64};
  switch (d.code) {
    case 0: return ints[log];
    case 1: return uints[log];
    case 2: return log == 1 ? PG_F16 : log == 2 ? PG_F32 : log == 3 ? PG_F64 : -1;
    case 4: return log == 1 ? PG_BF16 : -1;
    case 6: return log == 0 ? PG_BOOL : -1;
    default: return -1;
  }
}

/* The code of a buffer's format in native order, -1 for any other. */
static int dtype_of_format(const char* format, Py_ssize_t size) {
  if (format == NULL) return size == 1 ? PG_U8 : -1;
  if (*format == '@' || *format == '=' || *format == '<') ++format; /* every target is little-endian */
  if (format[0] == 0 || format[1] != 0) return -1;
  switch (*format) {
    case '?': return PG_BOOL;
    case 'e': return PG_F16;
    case 'f': return PG_F32;
    case 'd': return PG_F64;
    case 'b': case 'h': case 'i': case 'l': case 'q':
      return size == 1 ? PG_I8 : size == 2 ? PG_I16 : size == 4 ? PG_I32 : size == 8 ? PG_I64 : -1;
    case 'B': case 'H': case 'I': case 'L': case 'Q':
      return size == 1 ? PG_U8 : size == 2 ? PG_U16 : size == 4 ? PG_U32 : size == 8 ? PG_U64 : -1;
    default: return -1;
  }
}

static int read_buffer(PyObject* object, argument* out) {
  if (PyObject_GetBuffer(object, &out->buffer, PyBUF_FORMAT | PyBUF_STRIDES) != 0) {
    PyErr_Clear();
    return 0;
  }
  out->has_buffer = 1;
  const Py_buffer* b = &out->buffer;
  const int dtype = dtype_of_format(b->format, b->itemsize);
  if (dtype < 0 || b->ndim > PG_MAX_NDIM || dtype_bytes[dtype] != b->itemsize) return 0;
  for (int d = 0; d < b->ndim; ++d) {
    if (b->strides[d] % b->itemsize != 0) return 0;
    out->shape[d] = b->shape[d];
    out->strides[d] = b->strides[d] / b->itemsize;
  }
  const pg_tensor t = {b->buf, dtype, b->ndim, out->shape, out->strides};
  out->t = t;
  out->device.type = 1;
  out->from = FROM_NUMPY;
  out->writable = !b->readonly;
  return 1;
}

/* Exchange tables by type; a type stays alive with its entry. */
enum { TYPES = 16 };
static struct { PyObject* type; const dl_exchange* table; } known[TYPES];
static int n_known;

/* JAX's arrays must not be written to, which the exchange table does not tell: Python reads them. */
static int immutable(PyObject* type) {
  PyObject* module = PyObject_GetAttrString(type, "__module__");
  const char* name = module != NULL && PyUnicode_Check(module) ? PyUnicode_AsUTF8AndSize(module, NULL) : NULL;
  const int found = name != NULL && strncmp(name, "jax", 3) == 0;
  PyErr_Clear();
  Py_XDECREF(module);
  return found;
}

static const dl_exchange* exchange_of(PyObject* object) {
  PyObject* type = (PyObject*)Py_TYPE(object);
  for (int i = 0; i < n_known; ++i)
    if (known[i].type == type) return known[i].table;
  if (n_known == TYPES) return NULL;
  const dl_exchange* table = NULL;
  PyObject* capsule = PyObject_GetAttr(type, name_exchange);
  if (capsule != NULL && PyCapsule_IsValid(capsule, "dlpack_exchange_api"))
    table = (const dl_exchange*)PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
  PyErr_Clear();
  Py_XDECREF(capsule);
  if (immutable(type)) table = NULL;
  while (table != NULL && table->major != 1) table = table->previous;
  if (table != NULL && (table->tensor_from_object == NULL || table->current_stream == NULL)) table = NULL;
  Py_INCREF(type);
  known[n_known].type = type;
  known[n_known++].table = table;
  return table;
}

/* PyTorch's imaginary parts of conjugates: stored with the other sign, which DLPack does not tell. They are parts
 * of pairs, so that an array with neighbours beside each other is none. */
static int negated(PyObject* object, const dl_tensor* t) {
  for (int d = 0; d < t->ndim; ++d)
    if (t->strides == NULL || t->strides[d] == 1) return 0;
  PyObject* said = PyObject_CallMethod(object, "is_neg", NULL);
  if (said == NULL) PyErr_Clear();
  const int found = said == Py_True;
  Py_XDECREF(said);
  return found;
}

static int read_exchange(PyObject* object, const dl_exchange* table, argument* out) {
  PyObject* grad = PyObject_GetAttr(object, name_grad);
  if (grad == NULL) PyErr_Clear();
  const int tracked = grad == Py_True;
  Py_XDECREF(grad);
  dl_tensor t;
  if (tracked) return 0;
  if (table->tensor_from_object(object, &t) != 0) {
    PyErr_Clear();
    return 0;
  }
  const int dtype = dtype_of_dlpack(t.dtype);
  if (dtype < 0 || t.ndim > PG_MAX_NDIM || negated(object, &t)) return 0;
  const pg_tensor r = {(char*)t.data + t.byte_offset, dtype, t.ndim, t.shape, t.strides};
  out->t = r;
  out->device = t.device;
  out->from = FROM_EXCHANGE;
  out->exchange = table;
  out->writable = 1;
  return 1;
}

static int read_device_array(PyObject* object, argument* out) {
  PyObject* bytes = PyObject_GetAttr(object, name_packed);
  char* raw = NULL;
  Py_ssize_t size = 0;
  if (bytes == NULL || PyBytes_AsStringAndSize(bytes, &raw, &size) != 0) {
    PyErr_Clear();
    Py_XDECREF(bytes);
    return 0;
  }
  packed head;
  int good = size >= (Py_ssize_t)sizeof head;
  if (good) {
    memcpy(&head, raw, sizeof head);
    good = head.ndim >= 0 && head.ndim <= PG_MAX_NDIM && size == (Py_ssize_t)(sizeof head + 8 * (size_t)head.ndim);
  }
  if (good) {
    memcpy(out->shape, raw + sizeof head, 8 * (size_t)head.ndim);
    const pg_tensor t = {(void*)(uintptr_t)head.data, head.dtype, head.ndim, out->shape, NULL};
    out->t = t;
    out->device.type = head.device_type;
    out->device.id = head.device_id;
    out->from = FROM_DEVICE_ARRAY;
    out->stream = (void*)(uintptr_t)head.stream;
    out->writable = 1;
  }
  Py_DECREF(bytes);
  return good;
}

int read_argument(library* lib, PyObject* object, argument* out) {
  PyObject* type = (PyObject*)Py_TYPE(object);
  if (type == lib->array_type) return read_device_array(object, out);
  if (type == lib->ndarray) return lib->is_cpu ? read_buffer(object, out) : 0;
  const dl_exchange* table = exchange_of(object);
  return table != NULL && read_exchange(object, table, out) && (lib->accepted >> out->device.type & 1);
}

/* A Python number as an array of one element that is on the device already. */
int read_number(library* lib, PyObject* object, int dtype, int device, argument* out) {
  const double value = PyFloat_AsDouble(object);
  if (value == -1.0 && PyErr_Occurred()) {
    PyErr_Clear();
    return 0;
  }
  uint64_t bits;
  memcpy(&bits, &value, 8);
  for (int i = 0; i < lib->n_scalars; ++i) {
    const scalar* s = &lib->scalars[i];
    if (s->bits == bits && s->dtype == dtype && s->device == device) {
      const pg_tensor t = {s->data, dtype, 0, out->shape, NULL};
      out->t = t;
      out->from = FROM_SCALAR;
      return 1;
    }
  }
  return 0;
}

void drop_argument(argument* a) {
  if (a->has_buffer) PyBuffer_Release(&a->buffer);
}
