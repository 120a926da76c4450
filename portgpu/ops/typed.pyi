# ruff: noqa: E501
# fmt: off
"""Generated from kernels/registry.toml by `python -m portgpu.ops.stubs`; do not edit."""

from collections.abc import Sequence
from typing import Any, Literal, Protocol

class SupportsDlpack(Protocol):
    def __dlpack__(self, *, stream: Any = None) -> Any: ...
    def __dlpack_device__(self) -> tuple[int, int]: ...

Array = Any  # NumPy, PyTorch, CuPy, JAX arrays, SupportsDlpack, buffers
Stream = Any  # None: the framework's current one; else a handle or a framework's stream
Dtype = Any  # "f32", numpy.float32, torch.float32 ...

class OpFunctions:
    def abs(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise absolute value, negation, sign and square."""
    def neg(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise absolute value, negation, sign and square."""
    def sign(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise absolute value, negation, sign and square."""
    def square(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise absolute value, negation, sign and square."""
    def sqrt(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise square roots, reciprocal, roundings (round: half to even) and max(x, 0)."""
    def rsqrt(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise square roots, reciprocal, roundings (round: half to even) and max(x, 0)."""
    def reciprocal(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise square roots, reciprocal, roundings (round: half to even) and max(x, 0)."""
    def floor(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise square roots, reciprocal, roundings (round: half to even) and max(x, 0)."""
    def ceil(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise square roots, reciprocal, roundings (round: half to even) and max(x, 0)."""
    def trunc(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise square roots, reciprocal, roundings (round: half to even) and max(x, 0)."""
    def round(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise square roots, reciprocal, roundings (round: half to even) and max(x, 0)."""
    def relu(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise square roots, reciprocal, roundings (round: half to even) and max(x, 0)."""
    def isnan(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise classification."""
    def isinf(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise classification."""
    def isfinite(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise classification."""
    def logical_not(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """True where x is zero (NaN counts as nonzero)."""
    def bitwise_not(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise bit inversion; logical inversion for bool."""
    def exp(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def exp2(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def expm1(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def log(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def log1p(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def log2(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def log10(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def erf(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def sinh(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def cosh(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def tanh(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def sigmoid(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def softplus(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def gelu(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def gelu_tanh(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def silu(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise exponentials, logarithms, hyperbolics and activations (gelu: exact, by erf; gelu_tanh: the tanh form)."""
    def sin(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise trigonometric functions and inverse hyperbolics."""
    def cos(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise trigonometric functions and inverse hyperbolics."""
    def tan(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise trigonometric functions and inverse hyperbolics."""
    def asin(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise trigonometric functions and inverse hyperbolics."""
    def acos(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise trigonometric functions and inverse hyperbolics."""
    def atan(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise trigonometric functions and inverse hyperbolics."""
    def asinh(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise trigonometric functions and inverse hyperbolics."""
    def acosh(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise trigonometric functions and inverse hyperbolics."""
    def atanh(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise trigonometric functions and inverse hyperbolics."""
    def erfinv(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise inverse of erf."""
    def degrees(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise radians to degrees and back."""
    def radians(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise radians to degrees and back."""
    def isposinf(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise test for +inf / -inf."""
    def isneginf(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise test for +inf / -inf."""
    def clip(self, x: Array, low: float = ..., high: float = ..., *, out: Array | None = None, stream: Stream = None) -> Array:
        """min(max(x, low), high); NaN stays. The bounds are converted to x's type as by cast; where low > high, high wins."""
    def nan_to_num(self, x: Array, nan: float = 0.0, posinf: float = ..., neginf: float = ..., *, out: Array | None = None, stream: Stream = None) -> Array:
        """NaN, +inf and -inf replaced by nan, posinf and neginf; an infinite posinf or neginf stands for the type's greatest or least finite value."""
    def round_decimals(self, x: Array, decimals: int = 0, *, out: Array | None = None, stream: Stream = None) -> Array:
        """round(x * 10^decimals) / 10^decimals, half to even (NumPy's rule), in f32 for halves; -10 <= decimals <= 10."""
    def add(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise arithmetic; minimum and maximum return NaN if either operand is NaN."""
    def sub(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise arithmetic; minimum and maximum return NaN if either operand is NaN."""
    def mul(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise arithmetic; minimum and maximum return NaN if either operand is NaN."""
    def minimum(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise arithmetic; minimum and maximum return NaN if either operand is NaN."""
    def maximum(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise arithmetic; minimum and maximum return NaN if either operand is NaN."""
    def remainder(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise remainder with the divisor's sign (floor rule, as NumPy); integers: x % 0 is 0."""
    def floor_divide(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise quotient rounded down (Python's rule); integers: x // 0 is 0."""
    def divmod(self, a: Array, b: Array, *, out: tuple[Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array]:
        """floor_divide and remainder of a and b in one pass; integers: both are 0 for b = 0."""
    def isclose(self, a: Array, b: Array, relative: float = 1e-05, absolute: float = 1e-08, equal_nan: bool = False, *, out: Array | None = None, stream: Stream = None) -> Array:
        """|a - b| <= absolute + relative * |b|, or a == b; NaN is close to NaN only if equal_nan."""
    def div(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise true division."""
    def pow(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise power, atan2(a, b) and log(exp(a) + exp(b)) without overflow."""
    def atan2(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise power, atan2(a, b) and log(exp(a) + exp(b)) without overflow."""
    def logaddexp(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise power, atan2(a, b) and log(exp(a) + exp(b)) without overflow."""
    def equal(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise comparison; every comparison with NaN but not_equal is false."""
    def not_equal(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise comparison; every comparison with NaN but not_equal is false."""
    def less(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise comparison; every comparison with NaN but not_equal is false."""
    def less_equal(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise comparison; every comparison with NaN but not_equal is false."""
    def greater(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise comparison; every comparison with NaN but not_equal is false."""
    def greater_equal(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise comparison; every comparison with NaN but not_equal is false."""
    def logical_and(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise logic on truth values (nonzero is true)."""
    def logical_or(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise logic on truth values (nonzero is true)."""
    def logical_xor(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise logic on truth values (nonzero is true)."""
    def bitwise_and(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise bit operations."""
    def bitwise_or(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise bit operations."""
    def bitwise_xor(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise bit operations."""
    def left_shift(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise shifts (right_shift: arithmetic for signed types); a count outside [0, bits) gives 0, or -1 for a negative value shifted right."""
    def right_shift(self, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Elementwise shifts (right_shift: arithmetic for signed types); a count outside [0, bits) gives 0, or -1 for a negative value shifted right."""
    def where(self, cond: Array, a: Array, b: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """a where cond is true, else b."""
    def masked_fill(self, x: Array, mask: Array, value: float = 0.0, *, out: Array | None = None, stream: Stream = None) -> Array:
        """value (converted as by cast) where mask is true, else x."""
    def copy(self, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Copies x, broadcast to out's shape, between any two layouts (transposes go through shared memory)."""
    def concatenate(self, a: Array, b: Array | None = None, c: Array | None = None, d: Array | None = None, e: Array | None = None, f: Array | None = None, g: Array | None = None, h: Array | None = None, *, axis: int = 0, out: Array | None = None, stream: Stream = None) -> Array:
        """Up to eight arrays one behind the other along axis, in one pass."""
    def pad(self, x: Array, before: int | Sequence[int] | None = None, mode: Literal['constant', 'edge', 'reflect', 'wrap'] = 'constant', value: float = 0.0, *, after: int | Sequence[int] = (), out: Array | None = None, stream: Stream = None) -> Array:
        """x with `before` elements in front of each axis, and behind it what out leaves: value (converted as by cast), the edge, reflection without the edge, or repetition."""
    def cast(self, x: Array, dtype: Dtype, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Copies x with conversion to out's dtype (to float: nearest even; float to int: toward zero, NaN gives 0, out of range saturates; to bool: x != 0)."""
    def fill(self, value: float = 0.0, *, shape: int | Sequence[int] = (), dtype: Dtype = 'f32', out: Array | None = None, stream: Stream = None) -> Array:
        """Sets every element to value (converted as by cast)."""
    def arange(self, start: float = 0.0, step: float = 1.0, *, shape: int | Sequence[int] = (), dtype: Dtype = 'f32', out: Array | None = None, stream: Stream = None) -> Array:
        """out[i] = start + i * step in C order, computed in double (exact integers up to 2^53)."""
    def sum(self, x: Array, axes: int | Sequence[int] | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """Sum or product over axes; halves accumulate in f32, integers wrap."""
    def prod(self, x: Array, axes: int | Sequence[int] | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """Sum or product over axes; halves accumulate in f32, integers wrap."""
    def mean(self, x: Array, axes: int | Sequence[int] | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """Mean over axes; halves accumulate in f32; NaN for an empty reduction."""
    def min(self, x: Array, axes: int | Sequence[int] | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """Smallest or largest element over axes; NaN if any is NaN; an empty reduction is an error."""
    def max(self, x: Array, axes: int | Sequence[int] | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """Smallest or largest element over axes; NaN if any is NaN; an empty reduction is an error."""
    def any(self, x: Array, axes: int | Sequence[int] | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """Whether any / every element is nonzero over axes."""
    def all(self, x: Array, axes: int | Sequence[int] | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """Whether any / every element is nonzero over axes."""
    def var(self, x: Array, axes: int | Sequence[int] | None = None, ddof: int = 0, *, keepdims: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """Variance over axes with ddof delta degrees of freedom, by merging of means and squared deviations."""
    def logsumexp(self, x: Array, axes: int | Sequence[int] | None = None, *, keepdims: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """log(sum(exp(x))) over axes without overflow; -inf for an empty or all -inf reduction."""
    def argmin(self, x: Array, axis: int | None = -1, *, keepdims: bool = False, dtype: Dtype = None, out: Array | None = None, stream: Stream = None) -> Array:
        """Index of the smallest / largest element along axis (INT32_MIN: of the flattened array); the first wins, the first NaN wins over all numbers (NumPy's rule)."""
    def argmax(self, x: Array, axis: int | None = -1, *, keepdims: bool = False, dtype: Dtype = None, out: Array | None = None, stream: Stream = None) -> Array:
        """Index of the smallest / largest element along axis (INT32_MIN: of the flattened array); the first wins, the first NaN wins over all numbers (NumPy's rule)."""
    def softmax(self, x: Array, axis: int = -1, *, out: Array | None = None, stream: Stream = None) -> Array:
        """softmax / log-softmax along axis, computed in f32 (f64 for f64); a row of -inf only gives NaN."""
    def log_softmax(self, x: Array, axis: int = -1, *, out: Array | None = None, stream: Stream = None) -> Array:
        """softmax / log-softmax along axis, computed in f32 (f64 for f64); a row of -inf only gives NaN."""
    def layer_norm(self, x: Array, weight: Array | None = None, bias: Array | None = None, *, eps: float = 1e-05, out: Array | None = None, stream: Stream = None) -> Array:
        """(x - mean) / sqrt(var + eps) * weight + bias over the last axis."""
    def rms_norm(self, x: Array, weight: Array | None = None, *, eps: float = 1e-05, out: Array | None = None, stream: Stream = None) -> Array:
        """x / sqrt(mean(x^2) + eps) * weight over the last axis."""
    def cumsum(self, x: Array, axis: int = -1, exclusive: bool = False, reverse: bool = False, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Running sum / product along axis; exclusive: starts at 0 / 1; reverse: from the end; halves accumulate in f32."""
    def cumprod(self, x: Array, axis: int = -1, exclusive: bool = False, reverse: bool = False, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Running sum / product along axis; exclusive: starts at 0 / 1; reverse: from the end; halves accumulate in f32."""
    def cummin(self, x: Array, axis: int = -1, exclusive: bool = False, reverse: bool = False, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Running minimum / maximum along axis; NaN from the first NaN on; exclusive starts at the type's greatest / least value (inf / -inf for floats)."""
    def cummax(self, x: Array, axis: int = -1, exclusive: bool = False, reverse: bool = False, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Running minimum / maximum along axis; NaN from the first NaN on; exclusive starts at the type's greatest / least value (inf / -inf for floats)."""
    def logcumsumexp(self, x: Array, axis: int = -1, exclusive: bool = False, reverse: bool = False, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Running log(sum(exp(x))) along axis without overflow; exclusive: starts at -inf; reverse: from the end."""
    def sort(self, x: Array, axis: int = -1, descending: bool = False, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Sorted copy along axis; stable, NaN last (also when descending), -0 equals +0."""
    def argsort(self, x: Array, axis: int = -1, descending: bool = False, *, dtype: Dtype = None, out: Array | None = None, stream: Stream = None) -> Array:
        """Indices that sort x along axis; stable in both directions, NaN last, -0 equals +0."""
    def sort_with_indices(self, x: Array, axis: int = -1, descending: bool = False, *, dtype: Dtype = None, out: tuple[Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array]:
        """Sorted copy and the indices that sort x along axis; stable in both directions, NaN last."""
    def topk(self, x: Array, k: int, axis: int = -1, largest: bool = True, *, dtype: Dtype = None, out: tuple[Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array]:
        """The first k (= the outputs' extent along axis) of a stable sort along axis: descending if largest, else ascending; NaN last."""
    def partition(self, x: Array, kth: int, axis: int = -1, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Copy of x in which element kth along axis is where a sort puts it, smaller ones in front and greater ones behind; here the whole axis is sorted, NaN last."""
    def argpartition(self, x: Array, kth: int, axis: int = -1, *, dtype: Dtype = None, out: Array | None = None, stream: Stream = None) -> Array:
        """Indices that partition x along axis around element kth; here those of a stable sort."""
    def searchsorted(self, sorted: Array, values: Array, sorter: Array | None = None, *, right: bool = False, dtype: Dtype = None, out: Array | None = None, stream: Stream = None) -> Array:
        """Places in the ascending rows of `sorted` (one row, or one for each leading index of values) at which values would be inserted: in front of equal elements, behind them if right. NaN is greater than all numbers. sorter: indices that sort the rows."""
    def unique(self, x: Array, *, dtype: Dtype = None, out: tuple[Array, Array, Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array, Array, Array]:
        """The different values of the flattened x in ascending order, how often each occurs, where x's elements are among them, and how many there are: values and counts hold 0 from there on. NaNs are equal, -0 equals +0."""
    def masked_select(self, x: Array, mask: Array, *, dtype: Dtype = None, out: tuple[Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array]:
        """The elements of x where mask is true, in C order, and how many there are; values holds 0 from there on."""
    def flat_nonzero(self, x: Array, *, dtype: Dtype = None, out: tuple[Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array]:
        """Places of the nonzero elements of the flattened x (NaN counts), ascending, and how many there are; indices holds 0 from there on."""
    def masked_scatter(self, out: Array | None, mask: Array, source: Array, *, stream: Stream = None) -> Array:
        """Writes the elements of source, in C order, into the places of out where mask (broadcast) is true, in place; where source has too few, the rest stays."""
    def take(self, x: Array, indices: Array, axis: int = 0, *, out: Array | None = None, stream: Stream = None) -> Array:
        """x at indices along axis: out.shape = x.shape[:axis] + indices.shape + x.shape[axis+1:]; negative indices count from the end, an index outside the axis gives 0."""
    def take_along(self, x: Array, indices: Array, axis: int = -1, *, out: Array | None = None, stream: Stream = None) -> Array:
        """out[.., i, ..] = x[.., indices[.., i, ..], ..] along axis (numpy.take_along_axis); index rule as take."""
    def scatter_add(self, out: Array | None, indices: Array, updates: Array, axis: int = 0, *, stream: Stream = None) -> Array:
        """Adds updates into out at indices along axis (numpy.add.at, in place); deterministic: each element is out + (updates in index order, summed in f32 for halves). Index outside the axis: update skipped."""
    def scatter_set(self, out: Array | None, indices: Array, updates: Array, axis: int = 0, *, stream: Stream = None) -> Array:
        """Writes updates into out at indices along axis, in place; of equal indices the last wins. Index outside the axis: update skipped."""
    def scatter_mul(self, out: Array | None, indices: Array, updates: Array, axis: int = 0, *, stream: Stream = None) -> Array:
        """Multiplies updates into out at indices along axis / keeps the least or greatest (NaN wins), in place; deterministic, in index order, halves in f32. Index outside the axis: update skipped."""
    def scatter_min(self, out: Array | None, indices: Array, updates: Array, axis: int = 0, *, stream: Stream = None) -> Array:
        """Multiplies updates into out at indices along axis / keeps the least or greatest (NaN wins), in place; deterministic, in index order, halves in f32. Index outside the axis: update skipped."""
    def scatter_max(self, out: Array | None, indices: Array, updates: Array, axis: int = 0, *, stream: Stream = None) -> Array:
        """Multiplies updates into out at indices along axis / keeps the least or greatest (NaN wins), in place; deterministic, in index order, halves in f32. Index outside the axis: update skipped."""
    def put_along(self, out: Array | None, indices: Array, updates: Array, axis: int = -1, *, stream: Stream = None) -> Array:
        """out[.., indices[.., i, ..], ..] = updates[.., i, ..] along axis (numpy.put_along_axis), in place; of equal indices the last wins. Index outside the axis: update skipped."""
    def add_along(self, out: Array | None, indices: Array, updates: Array, axis: int = -1, *, stream: Stream = None) -> Array:
        """Adds updates[.., i, ..] to out[.., indices[.., i, ..], ..] along axis, in place (the gradient of take_along); deterministic, in index order, halves in f32. Index outside the axis: update skipped."""
    def random_bits(self, key: int = 0, generator: int = 0, *, shape: int | Sequence[int] = (), dtype: Dtype = 'u32', out: Array | None = None, stream: Stream = None) -> Array:
        """Random 32-bit words; generator 0: Threefry 2x32, the bits of jax.random with partitionable keys (key = seed); 1: Philox 4x32, four times as fast."""
    def uniform(self, low: float = 0.0, high: float = 1.0, key: int = 0, generator: int = 0, *, shape: int | Sequence[int] = (), dtype: Dtype = 'f32', out: Array | None = None, stream: Stream = None) -> Array:
        """Uniform values in [low, high); with generator 0 and f32 the bits of jax.random.uniform."""
    def normal(self, mean: float = 0.0, stddev: float = 1.0, key: int = 0, generator: int = 0, *, shape: int | Sequence[int] = (), dtype: Dtype = 'f32', out: Array | None = None, stream: Stream = None) -> Array:
        """Normal values; generator 0 inverts the error function as jax.random.normal does, generator 1 is Philox with Box and Muller's method."""
    def categorical(self, logits: Array, axis: int = -1, key: int = 0, generator: int = 0, *, dtype: Dtype = None, out: Array | None = None, stream: Stream = None) -> Array:
        """An index along axis for every row, with probabilities softmax(logits): argmax(logits + Gumbel noise). With generator 0 and f32 the samples of jax.random.categorical; several samples: broadcast logits."""
    def permutation(self, n: int, key: int = 0, generator: int = 0, *, dtype: Dtype = 'i64', out: Array | None = None, stream: Stream = None) -> Array:
        """A random permutation of 0 ... n - 1; with generator 0 that of jax.random.permutation(key, n)."""
    def softmax_backward(self, y: Array, dy: Array, axis: int = -1, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Gradient of softmax / log_softmax along axis from its result y and the gradient dy of that."""
    def log_softmax_backward(self, y: Array, dy: Array, axis: int = -1, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Gradient of softmax / log_softmax along axis from its result y and the gradient dy of that."""
    def layer_norm_backward(self, x: Array, dy: Array, weight: Array | None = None, *, eps: float = 1e-05, out: tuple[Array, Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array, Array]:
        """Gradients of layer_norm by x, weight and bias; the latter two summed over all rows in a fixed order (as if weight were 1 and bias 0 when not given)."""
    def rms_norm_backward(self, x: Array, dy: Array, weight: Array | None = None, *, eps: float = 1e-05, out: tuple[Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array]:
        """Gradients of rms_norm by x and weight; the latter summed over all rows in a fixed order."""
    def cross_entropy(self, logits: Array, targets: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """logsumexp(logits) - logits[target] along the last axis; a target outside [0, classes) gives 0."""
    def cross_entropy_backward(self, logits: Array, targets: Array, dloss: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Gradient of cross_entropy: (softmax(logits) - onehot(target)) * dloss; 0 for ignored targets."""
    def rope(self, x: Array, dims: int = 0, base: float = 10000.0, offset: int = 0, interleaved: bool = False, inverse: bool = False, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Rotary position embedding of the first dims (0: all) features of the last axis; the axis before it is the position, from offset on. Pairs are halves, or neighbours if interleaved; inverse turns back (the gradient)."""
    def matmul(self, a: Array, b: Array, algorithm: Literal['auto', 'library', 'portable'] = 'auto', *, out: Array | None = None, stream: Stream = None) -> Array:
        """Matrix product of the last two axes, leading axes broadcast, f32 accumulation (no TF32). algorithm: "library" is cuBLAS or rocBLAS, "portable" our own kernels, "auto" the library where it is found and knows the layout."""
    def fft(self, x: Array, inverse: bool = False, algorithm: Literal['auto', 'library', 'portable'] = 'auto', *, out: Array | None = None, stream: Stream = None) -> Array:
        """Discrete Fourier transform along the axis before the last, which holds real and imaginary parts; inverse: the inverse one, divided by n. By cuFFT or hipFFT, or by our own kernels (algorithm as in matmul)."""
    def rfft(self, x: Array, algorithm: Literal['auto', 'library', 'portable'] = 'auto', *, out: Array | None = None, stream: Stream = None) -> Array:
        """Fourier transform of real numbers along the last axis: out (..., n / 2 + 1, 2), the rest is conjugate."""
    def irfft(self, x: Array, algorithm: Literal['auto', 'library', 'portable'] = 'auto', n: int = 0, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Inverse of rfft, divided by n: x (..., n / 2 + 1, 2) to out (..., n), whose extent gives n. Imaginary parts of the first and, for even n, the last term are ignored."""
    def logistic_step(self, w: Array, x: Array, y: Array, rate: float = 0.1, steps: int = 1, *, stream: Stream = None) -> Array:
        """`steps` gradient steps of logistic regression in place, one kernel each: w -= rate * x^T (sigmoid(x w) - y) / rows; x (rows, features <= 256), y (rows)."""
    def quantize_int8(self, x: Array, group: Array = 64, *, out: tuple[Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array]:
        """Symmetric quantisation in groups of the last axis (extents of x and scale give the group, a multiple of 8): scale = max |x| / 127 or 7, q = round(x / scale). int4: two codes + 8 in a byte, the earlier one low. A group with NaN: scale NaN, codes 0."""
    def quantize_int4(self, x: Array, group: Array = 64, *, out: tuple[Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array]:
        """Symmetric quantisation in groups of the last axis (extents of x and scale give the group, a multiple of 8): scale = max |x| / 127 or 7, q = round(x / scale). int4: two codes + 8 in a byte, the earlier one low. A group with NaN: scale NaN, codes 0."""
    def dequantize_int8(self, q: Array, scale: Array, *, dtype: Dtype = 'f32', out: Array | None = None, stream: Stream = None) -> Array:
        """The values q * scale of a quantised array."""
    def dequantize_int4(self, q: Array, scale: Array, *, dtype: Dtype = 'f32', out: Array | None = None, stream: Stream = None) -> Array:
        """The values q * scale of a quantised array."""
    def matvec_int8(self, q: Array, scale: Array, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Product of a quantised matrix (rows, length) and a vector, accumulated in f32."""
    def matvec_int4(self, q: Array, scale: Array, x: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Product of a quantised matrix (rows, length) and a vector, accumulated in f32."""
    def matmul_int8(self, x: Array, q: Array, scale: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Product x w^T of x (.., length) and a quantised matrix w (rows, length): out (.., rows), accumulated in f32."""
    def matmul_int4(self, x: Array, q: Array, scale: Array, *, out: Array | None = None, stream: Stream = None) -> Array:
        """Product x w^T of x (.., length) and a quantised matrix w (rows, length): out (.., rows), accumulated in f32."""
    def attention_decode(self, q: Array, k: int, v: Array, scale: float = 0.0, *, out: Array | None = None, stream: Stream = None) -> Array:
        """softmax(q k^T * scale) v for one query per head: q (batch, heads, width <= 256), k and v (batch, key heads, keys, width), key heads dividing heads; scale 0 means 1 / sqrt(width)."""
    def attention(self, q: Array, k: int, v: Array, mask: Array | None = None, bias: Array | None = None, *, scale: float = 0.0, causal: bool = False, out: Array | None = None, stream: Stream = None) -> Array:
        """softmax(q k^T * scale + bias) v: q (batch, heads, queries, width <= 128), k and v (batch, key heads, keys, width), key heads dividing heads; scale 0 means 1 / sqrt(width). mask (bool, true: takes part) and bias broadcast to (batch, heads, queries, keys). causal: query i sees keys up to i + keys - queries. A query without keys gives 0."""
    def attention_backward(self, q: Array, k: int, v: Array, dout: Array, mask: Array | None = None, bias: Array | None = None, *, scale: float = 0.0, causal: bool = False, out: tuple[Array, Array, Array] | None = None, stream: Stream = None) -> tuple[Array, Array, Array]:
        """Gradients of attention by q, k and v from the gradient of its output; scores are computed again, sums are in a fixed order."""
    def conv(self, x: Array, weight: Array, bias: Array | None = None, *, stride: int | Sequence[int] | None = None, padding: int | Sequence[int] | None = None, dilation: int | Sequence[int] | None = None, groups: int = 1, size: int | Sequence[int] = (), out: Array | None = None, stream: Stream = None) -> Array:
        """Convolution (cross-correlation) over one to three spatial axes: x (batch, spatial.., channels), weight (filters, kernel.., channels / groups), out (batch, spatial.., filters); f32 accumulation for halves. stride, padding (both sides) and dilation: one number for each spatial axis."""
    def conv_backward_input(self, dout: Array, weight: Array, stride: int | Sequence[int] | None = None, padding: int | Sequence[int] | None = None, dilation: int | Sequence[int] | None = None, groups: int = 1, *, size: int | Sequence[int] = (), out: Array | None = None, stream: Stream = None) -> Array:
        """Gradient of conv by x, from the gradient of its output; also the transposed convolution of dout."""
    def conv_backward_weight(self, x: Array, dout: Array, stride: int | Sequence[int] | None = None, padding: int | Sequence[int] | None = None, dilation: int | Sequence[int] | None = None, groups: int = 1, *, size: int | Sequence[int] = (), out: Array | None = None, stream: Stream = None) -> Array:
        """Gradient of conv by weight; the sum over all places is cut into parts that are added in a fixed order."""
