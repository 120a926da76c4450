// A graph made node by node: order, parameters, clones, updates.
#include <cstdio>
#include <cuda_runtime.h>
#include <vector>
#define CHECK(x) do { if ((x) != cudaSuccess) { printf("FAIL line %d: %s\n", __LINE__, cudaGetErrorString(cudaGetLastError())); return 1; } } while (0)
#define EXPECT(x) do { if (!(x)) { printf("FAIL line %d\n", __LINE__); return 1; } } while (0)

__global__ void scale(float* y, const float* x, float f, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = f * x[i];
}
__global__ void plus(float* y, const float* a, const float* b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = a[i] + b[i];
}
struct Note { int calls; float seen; float* from; };
void CUDART_CB note(void* p) { Note* n = (Note*)p; n->calls++; n->seen = n->from[5]; }

int main() {
  const int n = 100;
  const size_t bytes = n * sizeof(float);
  float *x, *a, *b, *y, host[100], out[100];
  CHECK(cudaMalloc(&x, bytes)); CHECK(cudaMalloc(&a, bytes)); CHECK(cudaMalloc(&b, bytes)); CHECK(cudaMalloc(&y, bytes));
  for (int i = 0; i < n; i++) host[i] = i;
  cudaGraph_t g;
  CHECK(cudaGraphCreate(&g, 0));
  // The last node is made first, and linked by hand.
  cudaGraphNode_t up, k1, k2, sum, down, zero, call, none;
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(y, bytes, n, 1);
  copy.dstPtr = make_cudaPitchedPtr(out, bytes, n, 1);
  copy.extent = make_cudaExtent(bytes, 1, 1);
  copy.kind = cudaMemcpyDeviceToHost;
  CHECK(cudaGraphAddMemcpyNode(&down, g, nullptr, 0, &copy));
  CHECK(cudaGraphAddMemcpyNode1D(&up, g, nullptr, 0, x, host, bytes, cudaMemcpyHostToDevice));
  cudaMemsetParams set = {};
  set.dst = y; set.value = 0; set.elementSize = 4; set.width = n; set.height = 1; set.pitch = bytes;
  CHECK(cudaGraphAddMemsetNode(&zero, g, nullptr, 0, &set));
  float two = 2, three = 3;
  int count = n;
  void* args1[] = {&a, &x, &two, &count};
  void* args2[] = {&b, &x, &three, &count};
  void* args3[] = {&y, &a, &b, &count};
  cudaKernelNodeParams p = {};
  p.gridDim = dim3(4); p.blockDim = dim3(32); p.sharedMemBytes = 0; p.extra = nullptr;
  p.func = (void*)scale; p.kernelParams = args1;
  CHECK(cudaGraphAddKernelNode(&k1, g, &up, 1, &p));
  p.kernelParams = args2;
  CHECK(cudaGraphAddKernelNode(&k2, g, &up, 1, &p));
  p.func = reinterpret_cast<void*>(plus); p.kernelParams = args3;
  cudaGraphNode_t before[] = {k1, k2, zero};
  CHECK(cudaGraphAddKernelNode(&sum, g, before, 3, &p));
  Note noted = {0, 0, out};
  cudaHostNodeParams h = {note, &noted};
  CHECK(cudaGraphAddHostNode(&call, g, &down, 1, &h));
  CHECK(cudaGraphAddEmptyNode(&none, g, nullptr, 0));
  CHECK(cudaGraphAddDependencies(g, &sum, &down, 1));
  EXPECT(cudaGraphAddDependencies(g, &call, &up, 1) != cudaSuccess);  // a circle
  EXPECT(cudaGraphAddDependencies(g, &sum, &down, 1) != cudaSuccess);  // there already
  cudaGetLastError();
  two = 100;  // arguments were read when the node was made

  size_t nodes = 0, roots = 0, edges = 0, deps = 0;
  CHECK(cudaGraphGetNodes(g, nullptr, &nodes)); EXPECT(nodes == 8);
  CHECK(cudaGraphGetRootNodes(g, nullptr, &roots)); EXPECT(roots == 3);
  CHECK(cudaGraphNodeGetDependencies(sum, nullptr, &deps)); EXPECT(deps == 3);
  cudaGraphNodeType type;
  CHECK(cudaGraphNodeGetType(zero, &type)); EXPECT(type == cudaGraphNodeTypeMemset);
  std::vector<cudaGraphNode_t> all(nodes);
  CHECK(cudaGraphGetNodes(g, all.data(), &nodes)); EXPECT(all[0] == down && all[1] == up);
  (void)edges;

  cudaGraphExec_t e;
  CHECK(cudaGraphInstantiate(&e, g, nullptr, nullptr, 0));
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  CHECK(cudaGraphLaunch(e, s)); CHECK(cudaStreamSynchronize(s));
  EXPECT(out[5] == 25 && out[99] == 495 && noted.calls == 1 && noted.seen == 25);

  // One node of the executable graph gets other arguments; the graph itself keeps its own.
  cudaKernelNodeParams q = {};
  CHECK(cudaGraphKernelNodeGetParams(k1, &q)); EXPECT(q.gridDim.x == 4 && q.blockDim.x == 32);
  float ten = 10;
  void* other[] = {&a, &x, &ten, &count};
  q.func = (void*)scale; q.kernelParams = other;
  CHECK(cudaGraphExecKernelNodeSetParams(e, k1, &q));
  CHECK(cudaGraphLaunch(e, s)); CHECK(cudaStreamSynchronize(s));
  EXPECT(out[5] == 65);
  cudaGraph_t clone;
  CHECK(cudaGraphClone(&clone, g));
  cudaGraphNode_t there;
  CHECK(cudaGraphNodeFindInClone(&there, k2, clone)); EXPECT(there != k2);
  float one = 1;
  other[0] = &b; other[2] = &one;
  CHECK(cudaGraphKernelNodeSetParams(there, &q));
  cudaGraphExec_t e2;
  CHECK(cudaGraphInstantiate(&e2, clone, nullptr, nullptr, 0));
  CHECK(cudaGraphLaunch(e2, s)); CHECK(cudaStreamSynchronize(s));
  EXPECT(out[5] == 15);  // 2 * 5 + 1 * 5
  CHECK(cudaGraphNodeSetEnabled(e, call, 0));
  CHECK(cudaGraphLaunch(e, s));
  EXPECT(noted.calls == 3);
  // A captured graph goes into a parent as a child.
  cudaGraph_t captured, parent;
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  scale<<<4, 32, 0, s>>>(y, x, 7.0f, n);
  CHECK(cudaMemcpyAsync(out, y, bytes, cudaMemcpyDeviceToHost, s));
  CHECK(cudaStreamEndCapture(s, &captured));
  CHECK(cudaGraphGetNodes(captured, nullptr, &nodes)); EXPECT(nodes == 2);
  CHECK(cudaGraphCreate(&parent, 0));
  cudaGraphNode_t child, after;
  CHECK(cudaGraphAddChildGraphNode(&child, parent, nullptr, 0, captured));
  CHECK(cudaGraphAddHostNode(&after, parent, &child, 1, &h));
  cudaGraphExec_t e3;
  CHECK(cudaGraphInstantiate(&e3, parent, nullptr, nullptr, 0));
  CHECK(cudaGraphDestroy(captured)); CHECK(cudaGraphDestroy(parent));
  CHECK(cudaGraphLaunch(e3, s)); CHECK(cudaStreamSynchronize(s));
  EXPECT(out[5] == 35 && noted.seen == 35);
  // The whole executable graph is brought up to date with another one of the same shape.
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  scale<<<4, 32, 0, s>>>(y, x, 4.0f, n);
  CHECK(cudaStreamEndCapture(s, &captured));
  cudaGraphExec_t e4;
  CHECK(cudaGraphInstantiate(&e4, captured, nullptr, nullptr, 0));
  CHECK(cudaGraphDestroy(captured));
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  scale<<<4, 32, 0, s>>>(y, x, 9.0f, n);
  CHECK(cudaStreamEndCapture(s, &captured));
  cudaGraphExecUpdateResultInfo info;
  CHECK(cudaGraphExecUpdate(e4, captured, &info)); EXPECT(info.result == cudaGraphExecUpdateSuccess);
  CHECK(cudaGraphLaunch(e4, s));
  CHECK(cudaMemcpy(out, y, bytes, cudaMemcpyDeviceToHost));
  EXPECT(out[5] == 45);
  EXPECT(cudaGraphExecUpdate(e4, g, &info) == cudaErrorGraphExecUpdateFailure && info.result == cudaGraphExecUpdateErrorTopologyChanged);
  CHECK(cudaGraphDestroyNode(none));
  CHECK(cudaGraphGetNodes(g, nullptr, &nodes)); EXPECT(nodes == 7);
  for (cudaGraphExec_t each : {e, e2, e3, e4}) CHECK(cudaGraphExecDestroy(each));
  for (cudaGraph_t each : {g, clone, captured}) CHECK(cudaGraphDestroy(each));
  printf("PASS\n");
  return 0;
}
