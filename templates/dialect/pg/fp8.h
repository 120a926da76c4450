// 8-bit floats, added below.
#ifndef PG_FP8_H
#define PG_FP8_H
#endif
