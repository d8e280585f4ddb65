// SIMULATED driver: graphs of kernel nodes, built or captured. A launch runs its nodes one after
// the other; they share the launch's correlation id.
#include <algorithm>
#include <utility>

#include "state.hpp"

namespace {

using roofline::sim::Api;
using roofline::sim::Graph;
using roofline::sim::GraphNode;
using roofline::sim::Stream;

Graph* graph_of(CUgraph handle) { return reinterpret_cast<Graph*>(handle); }

Graph* make_graph() {
  auto* graph = new Graph;
  graph->id = ++roofline::sim::object_ids;
  return graph;
}

}  // namespace

extern "C" {

CUresult CUDAAPI cuGraphCreate(CUgraph* handle, unsigned) {
  SIM_ENTRY("cuGraphCreate");
  *handle = reinterpret_cast<CUgraph>(make_graph());
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphDestroy(CUgraph handle) {
  delete graph_of(handle);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphAddKernelNode_v2(CUgraphNode* handle, CUgraph graph, const CUgraphNode*,
                                         std::size_t, const CUDA_KERNEL_NODE_PARAMS* p) {
  SIM_ENTRY("cuGraphAddKernelNode");
  auto node = std::make_unique<GraphNode>();
  node->id = ++roofline::sim::object_ids;
  node->launch = {reinterpret_cast<roofline::sim::Function*>(p->func),
                  {p->gridDimX, p->gridDimY, p->gridDimZ},
                  {p->blockDimX, p->blockDimY, p->blockDimZ},
                  {},
                  p->sharedMemBytes};
  *handle = reinterpret_cast<CUgraphNode>(node.get());
  graph_of(graph)->nodes.push_back(std::move(node));
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphInstantiateWithFlags(CUgraphExec* handle, CUgraph graph,
                                             unsigned long long) {
  SIM_CONTEXT("cuGraphInstantiate");
  auto* executable = make_graph();
  for (const auto& node : graph_of(graph)->nodes)
    executable->nodes.push_back(std::make_unique<GraphNode>(*node));
  *handle = reinterpret_cast<CUgraphExec>(executable);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphExecDestroy(CUgraphExec handle) {
  delete reinterpret_cast<Graph*>(handle);
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  SIM_CONTEXT("cuGraphLaunch");
  Api call(514, "cuGraphLaunch");
  const auto& graph = *reinterpret_cast<Graph*>(handle);
  Stream& stream = roofline::sim::stream_of(stream_handle);
  roofline::sim::GraphRun run{graph.id,
                              static_cast<std::uint32_t>(stream.context->device),
                              stream.context->id,
                              stream.id,
                              call.correlation(),
                              0,
                              0};
  run.start = std::max(stream.end.load(), call.end());
  for (const auto& node : graph.nodes)
    roofline::sim::run_kernel(node->launch, stream, call.correlation(), call.end(), graph.id,
                              node->id);
  run.end = stream.end.load();
  if (const auto* hooks = roofline::sim::hooks; hooks && hooks->graph) hooks->graph(run);
  return CUDA_SUCCESS;
}

CUresult CUDAAPI cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode) {
  SIM_CONTEXT("cuStreamBeginCapture");
  Api call(539, "cuStreamBeginCapture_v2");
  Stream& stream = roofline::sim::stream_of(handle);
  if (stream.capturing) return CUDA_ERROR_ILLEGAL_STATE;
  stream.capturing = make_graph();
  return CUDA_SUCCESS;
}
CUresult CUDAAPI cuStreamEndCapture(CUstream handle, CUgraph* graph) {
  SIM_CONTEXT("cuStreamEndCapture");
  Api call(497, "cuStreamEndCapture");
  Stream& stream = roofline::sim::stream_of(handle);
  if (!stream.capturing) return CUDA_ERROR_ILLEGAL_STATE;
  *graph = reinterpret_cast<CUgraph>(std::exchange(stream.capturing, nullptr));
  return CUDA_SUCCESS;
}

}  // extern "C"
