"""portgpu: GPU kernels written once, built and tested for CUDA, ROCm and the CPU."""

__version__ = "0.1.0"
