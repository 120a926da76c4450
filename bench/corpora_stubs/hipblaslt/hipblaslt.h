// The types of hipBLASLt that PyTorch's headers name, where the library is not installed. Only for
// checking that sources compile.
#pragma once
typedef void* hipblasLtHandle_t;
