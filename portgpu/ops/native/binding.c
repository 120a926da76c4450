/* The op library as compiled Python functions, driven by descriptors from the registry.
 *
 * A call that this file understands goes straight to C: arrays are read without Python objects in
 * between, results are made, the op is launched. Every other call, and every call that fails, goes to
 * the Python function of the same op, so that both have one meaning and one set of errors. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "binding.h"

#define BINDING_VERSION 1
#define LIBRARY_NAME "portgpu.library"
#define FUNCTION_NAME "portgpu.function"

enum { LIBRARIES = 8 };
static _Thread_local void* streams[LIBRARIES]; /* current stream of arrays without a framework */
static int n_libraries;

void* current_stream(const library* lib) { return streams[lib->index]; }

/* Calls a C function whose parameters are known only now. System V x86-64 and AAPCS64 number integer
 * and floating-point arguments apart, so that one shape with all integers first serves every order. */
#if !(defined(__x86_64__) || (defined(__aarch64__) && !defined(__APPLE__))) || defined(_WIN32)
#error "this machine's calling convention is not known to the binding; portgpu uses ctypes instead"
#endif
typedef int64_t I;
typedef int (*few)(I, I, I, I, I, I);
typedef int (*few_d)(I, I, I, I, I, I, double, double, double, double, double, double, double, double);
typedef int (*many)(I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, I, double, double, double,
                    double, double, double, double, double);
static int invoke(void* f, const I* i, int ni, const double* d, int nd) {
  if (ni <= 6 && nd == 0) return ((few)f)(i[0], i[1], i[2], i[3], i[4], i[5]);
  if (ni <= 6)
    return ((few_d)f)(i[0], i[1], i[2], i[3], i[4], i[5], d[0], d[1], d[2], d[3], d[4], d[5], d[6], d[7]);
  return ((many)f)(i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], i[8], i[9], i[10], i[11], i[12], i[13], i[14],
                   i[15], i[16], i[17], i[18], i[19], i[20], i[21], i[22], i[23], d[0], d[1], d[2], d[3], d[4], d[5],
                   d[6], d[7]);
}

typedef struct {
  I ints[MAX_INTS];
  double doubles[MAX_DOUBLES];
  int n_ints, n_doubles;
  int32_t axes[PG_MAX_NDIM];
  int64_t wide_axes[PG_MAX_NDIM];
  int n_axes;
} call_args;

/* One parameter; 0 when Python has to look at it. */
static int add_axes(const function* f, call_args* c, PyObject* value) {
  if (f->rule != RULE_REDUCE) return 0; /* widths and the like */
  c->n_axes = 0;
  if (value != Py_None) {
    const int tuple = PyTuple_Check(value);
    if (!tuple && !PyLong_Check(value)) return 0;
    const Py_ssize_t n = tuple ? PyTuple_Size(value) : 1;
    if (n < 1 || n > PG_MAX_NDIM) return 0;
    for (Py_ssize_t i = 0; i < n; ++i) {
      PyObject* item = tuple ? PyTuple_GetItem(value, i) : value;
      if (item == NULL || !PyLong_Check(item)) return 0;
      const long axis = PyLong_AsLong(item);
      if (axis == -1 && PyErr_Occurred()) return 0;
      if (axis < INT32_MIN || axis > INT32_MAX) return 0;
      c->axes[i] = (int32_t)axis;
      c->wide_axes[i] = axis;
    }
    c->n_axes = (int)n;
  }
  c->ints[c->n_ints++] = c->n_axes ? (I)(intptr_t)c->axes : 0;
  c->ints[c->n_ints++] = c->n_axes;
  return 1;
}

static int add_param(const function* f, const param* p, PyObject* value, call_args* c) {
  if (value == NULL) return 0;
  switch (p->type) {
    case 'a': return add_axes(f, c, value);
    case 'd': {
      if (!PyFloat_Check(value) && !PyLong_Check(value)) return 0;
      const double d = PyFloat_AsDouble(value);
      if (d == -1.0 && PyErr_Occurred()) return 0;
      c->doubles[c->n_doubles++] = d;
      return 1;
    }
    case 'c': { /* one of several words */
      const Py_ssize_t n = PyTuple_Size(p->choices);
      for (Py_ssize_t i = 0; i < n; ++i) {
        PyObject* word = PyTuple_GetItem(p->choices, i);
        if (word == value || (PyUnicode_Check(value) && PyUnicode_Compare(word, value) == 0)) {
          c->ints[c->n_ints++] = i;
          return 1;
        }
      }
      return 0;
    }
    default: {
      if (value == Py_None && f->rule == RULE_ARG_REDUCE) {
        c->ints[c->n_ints++] = PG_AXIS_NONE;
        c->n_axes = 0;
        return 1;
      }
      if (!PyLong_Check(value)) return 0;
      const long long n = PyLong_AsLongLong(value);
      if (n == -1 && PyErr_Occurred()) return 0;
      if (p->type != 'l' && (n < INT32_MIN || n > INT32_MAX)) return 0;
      c->ints[c->n_ints++] = p->type == 'b' ? n != 0 : n;
      if (f->rule == RULE_ARG_REDUCE) c->wide_axes[0] = n, c->n_axes = 1;
      return 1;
    }
  }
}

/* Positional and keyword arguments into slots; 0 for what Python will complain about. */
static int fill_slots(const function* f, PyObject* const* args, Py_ssize_t n, PyObject* names, PyObject** values) {
  if (n > f->n_positional) return 0;
  for (int i = 0; i < f->n_slots; ++i) values[i] = i < n ? args[i] : f->slots[i].fallback;
  const Py_ssize_t keywords = names == NULL ? 0 : PyTuple_Size(names);
  for (Py_ssize_t k = 0; k < keywords; ++k) {
    PyObject* name = PyTuple_GetItem(names, k);
    int at = 0;
    while (at < f->n_slots && f->slots[at].name != name) ++at;
    if (at == f->n_slots) {
      at = 0;
      while (at < f->n_slots && PyUnicode_Compare(f->slots[at].name, name) != 0) ++at;
    }
    if (at == f->n_slots || at < n) return 0;
    values[at] = args[n + k];
  }
  for (int i = 0; i < f->n_slots; ++i)
    if (values[i] == NULL) return 0;
  return 1;
}

typedef struct {
  argument in[MAX_TENSORS], out[MAX_TENSORS];
  PyObject* made[MAX_TENSORS];
  int device; /* the caller's, where the call had to change it; else -1 */
} tensors;

/* The fast way. A new reference, or NULL: with an exception set, or without (Python takes over). */
static PyObject* fast(const function* f, PyObject* const* args, Py_ssize_t n, PyObject* names, tensors* t) {
  library* lib = f->lib;
  PyObject* values[MAX_SLOTS];
  if (!fill_slots(f, args, n, names, values)) return NULL;
  PyObject *inputs[MAX_TENSORS], *outputs[MAX_TENSORS], *out = Py_None, *stream_object = Py_None;
  PyObject* params[MAX_PARAMS];
  int keepdims = 0;
  for (int i = 0; i < f->n_slots; ++i) {
    const slot* s = &f->slots[i];
    switch (s->kind) {
      case SLOT_INPUT: inputs[s->at] = values[i]; break;
      case SLOT_OUTPUT: outputs[s->at] = values[i]; break;
      case SLOT_PARAM: params[s->at] = values[i]; break;
      case SLOT_KEEPDIMS:
        if (values[i] != Py_True && values[i] != Py_False) return NULL;
        keepdims = values[i] == Py_True;
        break;
      case SLOT_OUT: out = values[i]; break;
      case SLOT_STREAM: stream_object = values[i]; break;
      case SLOT_OTHER:
        if (values[i] != s->fallback) return NULL;
        break;
    }
  }

  const argument* leader = NULL;
  int dtype = -1, numbers = 0, device = 0;
  for (int i = 0; i < f->n_inputs; ++i) {
    PyObject* object = inputs[i];
    if (object == Py_None) {
      if (!f->optional[i]) return NULL;
      continue;
    }
    if (PyFloat_Check(object) || PyLong_Check(object)) {
      ++numbers;
      continue;
    }
    if (!read_argument(lib, object, &t->in[i])) return NULL;
    if (lib->is_cpu && f->indices[i]) return NULL; /* index values are checked by Python */
    if (leader == NULL) leader = &t->in[i], device = leader->device.id;
    else if (t->in[i].device.id != device) return NULL;
    if (dtype < 0 && !f->own[i]) dtype = t->in[i].t.dtype;
  }
  if (numbers != 0 && dtype < 0) return NULL;
  for (int i = 0; numbers != 0 && i < f->n_inputs; ++i)
    if (PyFloat_Check(inputs[i]) || PyLong_Check(inputs[i])) {
      if (f->own[i] || !read_number(lib, inputs[i], dtype, device, &t->in[i])) return NULL;
    }

  if (!f->inout) {
    if (out != Py_None && f->n_outputs > 1) {
      if (!PyTuple_Check(out) || PyTuple_Size(out) != f->n_outputs) return NULL;
      for (int i = 0; i < f->n_outputs; ++i) outputs[i] = PyTuple_GetItem(out, i);
    } else if (out != Py_None) {
      outputs[0] = out;
    }
  }
  const int given = f->inout || out != Py_None;
  if (given)
    for (int i = 0; i < f->n_outputs; ++i) {
      if (!read_argument(lib, outputs[i], &t->out[i]) || !t->out[i].writable) return NULL;
      if (leader == NULL) leader = &t->out[i], device = leader->device.id;
      else if (t->out[i].device.id != device) return NULL;
    }
  if (leader == NULL) return NULL;

  void* stream = NULL;
  if (stream_object != Py_None) {
    if (!PyLong_Check(stream_object)) return NULL;
    stream = PyLong_AsVoidPtr(stream_object);
    if (stream == NULL && PyErr_Occurred()) return NULL;
  } else if (leader->from == FROM_EXCHANGE && leader->device.type != 1) {
    if (leader->exchange->current_stream(leader->device.type, device, &stream) != 0) return NULL;
  } else {
    stream = current_stream(lib);
  }
  for (int i = 0; i < f->n_inputs; ++i) /* memory of another stream: Python notes its use */
    if (t->in[i].from == FROM_DEVICE_ARRAY && t->in[i].stream != stream) return NULL;
  for (int i = 0; given && i < f->n_outputs; ++i)
    if (t->out[i].from == FROM_DEVICE_ARRAY && t->out[i].stream != stream) return NULL;

  if (lib->devices > 1) {
    int now = 0;
    if (lib->get_device(&now) != PG_OK) return NULL;
    if (now != device) {
      if (lib->set_device(device) != PG_OK) return NULL;
      t->device = now;
    }
  }

  call_args c;
  c.n_ints = f->n_inputs + f->n_outputs;
  c.n_doubles = 0;
  c.n_axes = 0;
  for (int i = 0; i < f->n_params; ++i)
    if (!add_param(f, &f->params[i], params[i], &c)) return NULL;

  if (!given) {
    int ndim = 0;
    int64_t shape[PG_MAX_NDIM];
    if (!result_shape(f, t->in, c.wide_axes, c.n_axes, keepdims, &ndim, shape)) return NULL;
    for (int i = 0; i < f->n_outputs; ++i) {
      const int code = f->out_dtype[i] == -1 ? dtype : f->out_dtype[i];
      if (code < 0) return NULL;
      t->made[i] = make_result(lib, leader, code, ndim, shape, stream, &t->out[i]);
      if (t->made[i] == NULL) return NULL;
    }
  }

  for (int i = 0; i < f->n_inputs; ++i) c.ints[i] = t->in[i].from == FROM_NONE ? 0 : (I)(intptr_t)&t->in[i].t;
  for (int i = 0; i < f->n_outputs; ++i) c.ints[f->n_inputs + i] = (I)(intptr_t)&t->out[i].t;
  for (int i = c.n_doubles; i < MAX_DOUBLES; ++i) c.doubles[i] = 0;
  for (int i = c.n_ints; i < MAX_INTS; ++i) c.ints[i] = 0;
  int status = PG_OK;
  Py_BEGIN_ALLOW_THREADS /* a launch may wait for the device, and the device for a thread of Python */
  void* workspace = NULL;
  if (f->query != NULL) {
    size_t bytes = 0;
    c.ints[c.n_ints] = (I)(intptr_t)&bytes;
    status = invoke(f->query, c.ints, c.n_ints + 1, c.doubles, c.n_doubles);
    if (status == PG_OK && bytes != 0) status = lib->alloc(&workspace, bytes, PG_MEMORY_DEVICE, stream);
    c.ints[c.n_ints++] = (I)(intptr_t)workspace;
    c.ints[c.n_ints++] = (I)bytes;
  }
  c.ints[c.n_ints++] = (I)(intptr_t)stream;
  if (status == PG_OK) status = invoke(f->run, c.ints, c.n_ints, c.doubles, c.n_doubles);
  if (workspace != NULL) {
    const int released = lib->release(workspace, stream);
    if (status == PG_OK) status = released;
  }
  if (status == PG_OK && lib->is_cpu) status = lib->synchronize(stream);
  Py_END_ALLOW_THREADS
  if (status == PG_ERR_SHAPE && !given) return NULL; /* Python looks at the result's shape first */
  if (status != PG_OK) {
    PyObject* raised = PyObject_CallFunction(lib->fail, "is", status, f->def.ml_name);
    Py_XDECREF(raised);
    return NULL;
  }

  if (f->n_outputs == 1) {
    PyObject* result = given ? outputs[0] : t->made[0];
    Py_INCREF(result);
    return result;
  }
  PyObject* result = PyTuple_New(f->n_outputs);
  for (int i = 0; result != NULL && i < f->n_outputs; ++i) {
    PyObject* item = given ? outputs[i] : t->made[i];
    Py_INCREF(item);
    if (PyTuple_SetItem(result, i, item) != 0) Py_CLEAR(result);
  }
  return result;
}

static PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t n, PyObject* names) {
  function* f = (function*)PyCapsule_GetPointer(self, FUNCTION_NAME);
  if (f == NULL) return NULL;
  PyObject* result = NULL;
  if (!f->lib->slow) {
    tensors t;
    t.device = -1;
    for (int i = 0; i < f->n_inputs; ++i) memset(&t.in[i], 0, offsetof(argument, buffer));
    for (int i = 0; i < f->n_outputs; ++i) {
      memset(&t.out[i], 0, offsetof(argument, buffer));
      t.made[i] = NULL;
    }
    result = fast(f, args, n, names, &t);
    if (t.device >= 0) f->lib->set_device(t.device);
    for (int i = 0; i < f->n_inputs; ++i) drop_argument(&t.in[i]);
    for (int i = 0; i < f->n_outputs; ++i) {
      drop_argument(&t.out[i]);
      Py_XDECREF(t.made[i]);
    }
    if (result != NULL || PyErr_Occurred()) {
      if (result != NULL || !PyErr_ExceptionMatches(PyExc_OverflowError)) return result;
      PyErr_Clear(); /* a number beyond C's: Python has the sentence */
    }
  }
  /* Vectorcall is not in the limited API of 3.11. */
  PyObject* tuple = PyTuple_New(n);
  PyObject* dict = names == NULL ? NULL : PyDict_New();
  if (tuple == NULL || (names != NULL && dict == NULL)) goto done;
  for (Py_ssize_t i = 0; i < n; ++i) {
    Py_INCREF(args[i]);
    if (PyTuple_SetItem(tuple, i, args[i]) != 0) goto done;
  }
  for (Py_ssize_t k = 0; dict != NULL && k < PyTuple_Size(names); ++k)
    if (PyDict_SetItem(dict, PyTuple_GetItem(names, k), args[n + k]) != 0) goto done;
  result = PyObject_Call(f->python, tuple, dict);
done:
  Py_XDECREF(tuple);
  Py_XDECREF(dict);
  return result;
}

/* open(path, facts): facts has is_cpu, accepted, device_type, devices, fail, array_type, pg_types, np_types,
 * ndarray, np_empty, python. */
static PyObject* fact(PyObject* facts, const char* name) {
  PyObject* value = PyDict_GetItemString(facts, name);
  if (value == NULL) PyErr_Format(PyExc_KeyError, "%s", name);
  Py_XINCREF(value);
  return value;
}
static long number(PyObject* facts, const char* name) {
  PyObject* value = fact(facts, name);
  const long n = value == NULL ? -1 : PyLong_AsLong(value);
  Py_XDECREF(value);
  return n;
}

static PyObject* open_library(PyObject* self, PyObject* args) {
  (void)self;
  const char* path;
  PyObject* facts;
  if (!PyArg_ParseTuple(args, "sO!", &path, &PyDict_Type, &facts)) return NULL;
  if (n_libraries == LIBRARIES) return PyErr_Format(PyExc_RuntimeError, "too many op libraries");
  library* lib = (library*)calloc(1, sizeof *lib);
  if (lib == NULL) return PyErr_NoMemory();
  lib->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (lib->handle == NULL) {
    free(lib);
    return PyErr_Format(PyExc_OSError, "%s", dlerror());
  }
  const struct { const char* name; void** to; } symbols[] = {
      {"pg_get_device", (void**)&lib->get_device}, {"pg_set_device", (void**)&lib->set_device},
      {"pg_alloc", (void**)&lib->alloc},           {"pg_release", (void**)&lib->release},
      {"pg_stream_synchronize", (void**)&lib->synchronize}};
  for (size_t i = 0; i < sizeof symbols / sizeof *symbols; ++i)
    if ((*symbols[i].to = dlsym(lib->handle, symbols[i].name)) == NULL) {
      free(lib);
      return PyErr_Format(PyExc_OSError, "no symbol %s", symbols[i].name);
    }
  lib->index = n_libraries++;
  lib->is_cpu = (int)number(facts, "is_cpu");
  lib->accepted = (uint32_t)number(facts, "accepted");
  lib->devices = (int)number(facts, "devices");
  lib->device.type = (int32_t)number(facts, "device_type");
  lib->python = fact(facts, "python");
  lib->fail = fact(facts, "fail");
  lib->array_type = fact(facts, "array_type");
  lib->ndarray = fact(facts, "ndarray");
  lib->np_empty = fact(facts, "np_empty");
  PyObject *pg_types = fact(facts, "pg_types"), *np_types = fact(facts, "np_types");
  for (int i = 0; !PyErr_Occurred() && i <= PG_F64; ++i) {
    lib->pg_types[i] = PySequence_GetItem(pg_types, i);
    lib->np_types[i] = PySequence_GetItem(np_types, i);
    if (lib->np_types[i] == Py_None) Py_CLEAR(lib->np_types[i]);
  }
  Py_XDECREF(pg_types);
  Py_XDECREF(np_types);
  if (PyErr_Occurred()) return NULL; /* a fault of the caller; the library stays loaded anyway */
  return PyCapsule_New(lib, LIBRARY_NAME, NULL);
}

static library* library_of(PyObject* capsule) { return (library*)PyCapsule_GetPointer(capsule, LIBRARY_NAME); }

/* An owned copy that lives as long as the process, as functions do. */
static const char* kept(PyObject* text) {
  PyObject* bytes = PyUnicode_AsUTF8String(text);
  const char* from = bytes == NULL ? NULL : PyBytes_AsString(bytes);
  char* copy = from == NULL ? NULL : (char*)malloc(strlen(from) + 1);
  if (copy != NULL) strcpy(copy, from);
  Py_XDECREF(bytes);
  return copy;
}

/* function(library, name, doc, inputs, outputs, params, slots, facts, python) with
 * inputs: (optional, is_index, has_types_of_its_own)..., outputs: dtype code..., params: (type, choices)...,
 * slots: (name, kind, at, default)... where no default is an empty tuple's place: (name, kind, at),
 * facts: (positional, inout, rule). */
static PyObject* make_function(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *capsule, *name, *doc, *inputs, *outputs, *params, *slots, *python;
  int positional, inout, rule;
  if (!PyArg_ParseTuple(args, "OUUO!O!O!O!(iii)O", &capsule, &name, &doc, &PyTuple_Type, &inputs, &PyTuple_Type,
                        &outputs, &PyTuple_Type, &params, &PyTuple_Type, &slots, &positional, &inout, &rule, &python))
    return NULL;
  library* lib = library_of(capsule);
  if (lib == NULL) return NULL;
  const Py_ssize_t ni = PyTuple_Size(inputs), no = PyTuple_Size(outputs), np = PyTuple_Size(params),
                   ns = PyTuple_Size(slots);
  if (ni > MAX_TENSORS || no > MAX_TENSORS || np > MAX_PARAMS || ns > MAX_SLOTS)
    return PyErr_Format(PyExc_OverflowError, "%U has more arguments than the binding takes", name);
  function* f = (function*)calloc(1, sizeof *f);
  if (f == NULL) return PyErr_NoMemory();
  f->lib = lib;
  f->n_inputs = (int)ni, f->n_outputs = (int)no, f->n_params = (int)np, f->n_slots = (int)ns;
  f->n_positional = positional, f->inout = inout, f->rule = (enum rule)rule;
  for (Py_ssize_t i = 0; i < ni; ++i)
    if (!PyArg_ParseTuple(PyTuple_GetItem(inputs, i), "iii", &f->optional[i], &f->indices[i], &f->own[i])) return NULL;
  for (Py_ssize_t i = 0; i < no; ++i) f->out_dtype[i] = (int)PyLong_AsLong(PyTuple_GetItem(outputs, i));
  int ints = (int)(ni + no) + 4, doubles = 0;
  for (Py_ssize_t i = 0; i < np; ++i) {
    const char* type;
    if (!PyArg_ParseTuple(PyTuple_GetItem(params, i), "sO", &type, &f->params[i].choices)) return NULL;
    f->params[i].type = *type;
    Py_INCREF(f->params[i].choices);
    if (*type == 'd') ++doubles;
    else ints += *type == 'a' ? 2 : 1;
  }
  if (ints > MAX_INTS || doubles > MAX_DOUBLES)
    return PyErr_Format(PyExc_OverflowError, "%U has more arguments than the binding takes", name);
  for (Py_ssize_t i = 0; i < ns; ++i) {
    int kind;
    PyObject *key, *fallback = NULL;
    if (!PyArg_ParseTuple(PyTuple_GetItem(slots, i), "Uii|O", &key, &kind, &f->slots[i].at, &fallback)) return NULL;
    f->slots[i].kind = (enum slot_kind)kind;
    Py_INCREF(key);
    PyUnicode_InternInPlace(&key);
    f->slots[i].name = key;
    Py_XINCREF(fallback);
    f->slots[i].fallback = fallback;
  }
  f->def.ml_name = kept(name);
  f->def.ml_doc = kept(doc);
  f->def.ml_meth = (PyCFunction)(void (*)(void))call;
  f->def.ml_flags = METH_FASTCALL | METH_KEYWORDS;
  if (PyErr_Occurred()) return NULL;
  char symbol[160];
  if (strlen(f->def.ml_name) > 100) return PyErr_Format(PyExc_ValueError, "%U is too long a name", name);
  strcat(strcpy(symbol, "pg_"), f->def.ml_name);
  f->run = dlsym(lib->handle, symbol);
  f->query = dlsym(lib->handle, strcat(symbol, "_workspace"));
  if (f->run == NULL) return PyErr_Format(PyExc_OSError, "no symbol pg_%U", name);
  Py_INCREF(python);
  f->python = python;
  PyObject* owner = PyCapsule_New(f, FUNCTION_NAME, NULL);
  if (owner == NULL) return NULL;
  PyObject* made = PyCFunction_NewEx(&f->def, owner, NULL);
  Py_DECREF(owner);
  return made;
}

static PyObject* set_stream(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *capsule, *handle;
  if (!PyArg_ParseTuple(args, "OO", &capsule, &handle)) return NULL;
  library* lib = library_of(capsule);
  void* stream = PyLong_AsVoidPtr(handle);
  if (lib == NULL || (stream == NULL && PyErr_Occurred())) return NULL;
  streams[lib->index] = stream;
  Py_RETURN_NONE;
}

static PyObject* set_slow(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* capsule;
  int slow;
  if (!PyArg_ParseTuple(args, "Op", &capsule, &slow)) return NULL;
  library* lib = library_of(capsule);
  if (lib == NULL) return NULL;
  lib->slow = slow;
  Py_RETURN_NONE;
}

/* add_number(library, value, dtype, device, address): from now on `value` is found there. */
static PyObject* add_number(PyObject* self, PyObject* args) {
  (void)self;
  PyObject* capsule;
  double value;
  int dtype, device;
  unsigned long long address;
  if (!PyArg_ParseTuple(args, "OdiiK", &capsule, &value, &dtype, &device, &address)) return NULL;
  library* lib = library_of(capsule);
  if (lib == NULL) return NULL;
  if (lib->n_scalars < SCALARS) {
    scalar* s = &lib->scalars[lib->n_scalars++];
    memcpy(&s->bits, &value, 8);
    s->dtype = dtype, s->device = device, s->data = (void*)(uintptr_t)address;
  }
  Py_RETURN_NONE;
}

static PyObject* drop_numbers(PyObject* self, PyObject* capsule) {
  (void)self;
  library* lib = library_of(capsule);
  if (lib == NULL) return NULL;
  lib->n_scalars = 0;
  Py_RETURN_NONE;
}

/* measure(library, symbol, integers, count): seconds of `count` calls of a C function, without Python. */
static PyObject* measure(PyObject* self, PyObject* args) {
  (void)self;
  PyObject *capsule, *given;
  const char* symbol;
  int count;
  if (!PyArg_ParseTuple(args, "OsO!i", &capsule, &symbol, &PyTuple_Type, &given, &count)) return NULL;
  library* lib = library_of(capsule);
  if (lib == NULL) return NULL;
  void* f = dlsym(lib->handle, symbol);
  I ints[MAX_INTS] = {0};
  const double doubles[MAX_DOUBLES] = {0};
  const Py_ssize_t n = PyTuple_Size(given);
  if (f == NULL || n > MAX_INTS) return PyErr_Format(PyExc_ValueError, "no function %s of that kind", symbol);
  for (Py_ssize_t i = 0; i < n; ++i) ints[i] = (I)(intptr_t)PyLong_AsVoidPtr(PyTuple_GetItem(given, i));
  if (PyErr_Occurred()) return NULL;
  struct timespec from, to;
  int status = PG_OK;
  clock_gettime(CLOCK_MONOTONIC, &from);
  for (int i = 0; i < count && status == PG_OK; ++i) status = invoke(f, ints, (int)n, doubles, 0);
  clock_gettime(CLOCK_MONOTONIC, &to);
  if (status != PG_OK) return PyObject_CallFunction(lib->fail, "is", status, symbol);
  return PyFloat_FromDouble((double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec));
}

static PyMethodDef methods[] = {
    {"open", open_library, METH_VARARGS, "Open an op library."},
    {"function", make_function, METH_VARARGS, "Make the function of an op."},
    {"set_stream", set_stream, METH_VARARGS, "Set this thread's stream of arrays without a framework."},
    {"set_slow", set_slow, METH_VARARGS, "Send every call to Python, or not."},
    {"add_number", add_number, METH_VARARGS, "Tell where a number lies as an array."},
    {"drop_numbers", drop_numbers, METH_O, "Forget all numbers."},
    {"measure", measure, METH_VARARGS, "Seconds that calls of a C function take."},
    {NULL, NULL, 0, NULL}};

static int start(PyObject* module) {
  setup_names();
  return PyModule_AddIntConstant(module, "VERSION", BINDING_VERSION) ||
         PyModule_AddIntConstant(module, "ABI_VERSION", PG_ABI_VERSION);
}

static PyModuleDef_Slot module_slots[] = {{Py_mod_exec, (void*)start}, {0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "_portgpu_ops", "Compiled functions of an op library.",
                                    0, methods, module_slots, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__portgpu_ops(void) { return PyModuleDef_Init(&module); }
