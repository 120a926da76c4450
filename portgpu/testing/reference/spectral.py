"""References of Fourier transforms: NumPy's in float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from portgpu.testing.numeric import Array
from portgpu.testing.reference import Call, Expected, reference


@reference("fft", "rfft", "irfft")
def fft(call: Call) -> Sequence[Expected]:
    (x,) = call.inputs
    shape = call.outputs[0][0]
    n = shape[-1] if call.op == "irfft" else x.shape[-1] if call.op == "rfft" else x.shape[-2]
    if call.op == "rfft":
        size: Array = np.sqrt(np.square(x).sum(-1))
        result: Array = np.fft.rfft(x)
    else:
        z = x[..., 0] + 1j * x[..., 1]
        size = np.sqrt(np.square(np.abs(z)).sum(-1))
        if call.op == "irfft":
            size = np.sqrt(2) * size / n
            result = np.fft.irfft(z, n) if z.size else np.zeros(shape)
        elif call.params["inverse"]:
            size, result = size / n, np.fft.ifft(z) if z.size else z
        else:
            result = np.fft.fft(z) if z.size else z
    value = result if call.op == "irfft" else np.stack([result.real, result.imag], -1)
    lead = size.reshape(size.shape + (1,) * (len(shape) - size.ndim))
    # Errors grow with the number of passes, from the length of the row as a vector.
    passes = np.log2(max(n, 1)) + 1
    return [Expected(value, np.broadcast_to(lead, shape), passes**2)]
