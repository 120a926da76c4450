"""Fields of cudaDeviceProp that HIP's structure lacks, in some versions or in all."""

from __future__ import annotations

from portgpu.source.launch import kernel_start
from portgpu.translate.calls import is_device_prop
from portgpu.translate.model import Context

# What templates/compat/portgpu/compat/device_prop.h has.
FIELDS = frozenset(
    (
        b"luidDeviceNodeMask maxTexture1DMipmap maxTexture2DMipmap maxTexture2DLinear "
        b"maxTexture2DGather maxTexture3DAlt maxTextureCubemap maxTexture1DLayered "
        b"maxTexture2DLayered maxTextureCubemapLayered maxSurface1D maxSurface2D "
        b"maxSurface3D maxSurface1DLayered maxSurface2DLayered maxSurfaceCubemap "
        b"maxSurfaceCubemapLayered surfaceAlignment asyncEngineCount deviceOverlap "
        b"unifiedAddressing persistingL2CacheMaxSize streamPrioritiesSupported "
        b"globalL1CacheSupported localL1CacheSupported sharedMemPerMultiprocessor "
        b"regsPerMultiprocessor multiGpuBoardGroupID hostNativeAtomicSupported "
        b"computePreemptionSupported canUseHostPointerForRegisteredMem "
        b"sharedMemPerBlockOptin maxBlocksPerMultiProcessor accessPolicyMaxWindowSize "
        b"reservedSharedMemPerBlock hostRegisterSupported sparseCudaArraySupported "
        b"hostRegisterReadOnlySupported timelineSemaphoreInteropSupported "
        b"memoryPoolsSupported gpuDirectRDMASupported gpuDirectRDMAFlushWritesOptions "
        b"gpuDirectRDMAWritesOrdering memoryPoolSupportedHandleTypes "
        b"deferredMappingCudaArraySupported ipcEventSupported clusterLaunch "
        b"unifiedFunctionPointers singleToDoublePrecisionPerfRatio deviceNumaConfig "
        b"deviceNumaId mpsEnabled hostNumaId gpuPciDeviceID gpuPciSubsystemID "
        b"hostNumaMultinodeIpcSupported"
    ).split()
)


def rewrite(context: Context) -> None:
    """`prop.unifiedAddressing` -> `pg_compat::prop::unifiedAddressing(prop)`, where it is read."""
    source = context.source
    if b"DeviceProp" not in source.data or context.options.compat is None:
        return
    for i, word in enumerate(source.text):
        if word not in FIELDS or i in context.claimed:
            continue
        operator = source.word(i - 1)
        if operator not in (b".", b"->") or source.word(i + 1) in (b"=", b"+=", b"++", b"--"):
            continue
        start = kernel_start(source, i)
        if start is None or source.word(start - 1) in (b"&", b"++", b"--"):
            continue
        base = source.text[start : i - 1]
        if b"this" in base or not is_device_prop(source, base):
            continue
        if any(k in context.claimed for k in range(start, i)):
            continue
        context.shims.add("logical_warp")  # a name of the main header
        star = b"*" if operator == b"->" else b""
        context.insert_before(start, b"pg_compat::prop::%s(%s" % (word, star))
        context.replace_span(i - 1, i, b")")
