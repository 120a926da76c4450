// log(sum(exp(x))) over axes, in one pass with a running maximum.
#include "support/softmax_op.cuh"

using namespace pgops;

PG_REDUCE(logsumexp, logsumexp_op, float_types, reduce_empty::identity, 0)
