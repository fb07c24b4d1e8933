#include <cuda.h>
#include <dlfcn.h>

#include <cstdio>

#include "warploom/collector/cuda/check.cuh"
#include "warploom/collector/cuda/cublaslt_problem.cuh"
#include "warploom/collector/cuda/graph_case.cuh"
#include "warploom/collector/cuda/tile_library.cuh"
#include "warploom/collector/cuda/tile_names.cuh"

namespace warploom::collector {
namespace {

// What the driver says of the kernels in a graph. Its library is opened, not linked, as the toolkit's own
// parts do.
class KernelNames {
 public:
  KernelNames() : driver_(dlopen("libcuda.so.1", RTLD_NOW)) {
    if (driver_ == nullptr) return;
    find(node_parameters_, "cuGraphKernelNodeGetParams_v2");
    find(function_name_, "cuFuncGetName");
    find(kernel_name_, "cuKernelGetName");
  }

  void read(cudaGraph_t graph, TileChoice& choice) const {
    if (node_parameters_ == nullptr || function_name_ == nullptr || kernel_name_ == nullptr) return;
    std::size_t count = 0;
    if (cudaGraphGetNodes(graph, nullptr, &count) != cudaSuccess) return;
    std::vector<cudaGraphNode_t> nodes(count);
    if (cudaGraphGetNodes(graph, nodes.data(), &count) != cudaSuccess) return;
    for (const cudaGraphNode_t node : nodes) {
      cudaGraphNodeType type{};
      CUDA_KERNEL_NODE_PARAMS launch{};
      if (cudaGraphNodeGetType(node, &type) != cudaSuccess || type != cudaGraphNodeTypeKernel) continue;
      if (node_parameters_(node, &launch) != CUDA_SUCCESS) continue;
      const char* name = nullptr;
      const bool named = launch.func != nullptr ? function_name_(&name, launch.func) == CUDA_SUCCESS
                                                : kernel_name_(&name, launch.kern) == CUDA_SUCCESS;
      if (!named || name == nullptr) continue;
      if (!choice.kernel.empty()) choice.kernel += '+';
      choice.kernel += name;
      if (choice.grid.empty())
        choice.grid = std::to_string(launch.gridDimX) + "*" + std::to_string(launch.gridDimY) + "*" +
                      std::to_string(launch.gridDimZ);
    }
  }

 private:
  template <class Function>
  void find(Function& function, const char* name) {
    function = reinterpret_cast<Function>(dlsym(driver_, name));
  }
  void* driver_;  // stays open with the CUDA runtime
  CUresult (*node_parameters_)(CUgraphNode, CUDA_KERNEL_NODE_PARAMS*) = nullptr;
  CUresult (*function_name_)(const char**, CUfunction) = nullptr;
  CUresult (*kernel_name_)(const char**, CUkernel) = nullptr;
};

ProductSize size_of(const TileQuery& query) {
  return {.m = query.m, .n = query.n, .k = query.k, .inner_first = query.layout == "nn"};
}

// The library counts tiles and clusters column-major: its rows are our columns.
TileChoice choice_of(const LtChoice& found, int rank) {
  const cublasLtMatmulAlgo_t& algo = found.algorithm;
  TileChoice choice;
  choice.rank = rank;
  choice.algorithm = config_of<std::int32_t>(algo, CUBLASLT_ALGO_CONFIG_ID);
  long long rows = 0, columns = 0;
  const std::string tile = tile_name(config_of<std::uint32_t>(algo, CUBLASLT_ALGO_CONFIG_TILE_ID));
  if (std::sscanf(tile.c_str(), "%lldx%lld", &rows, &columns) == 2) {
    choice.tile_m = columns;
    choice.tile_n = rows;
  }
  const std::string cluster =
      cluster_name(config_of<std::uint16_t>(algo, CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID));
  int across = 1, down = 1;  // stay so where the library leaves clusters to the launch
  if (std::sscanf(cluster.c_str(), "%dx%d", &across, &down) == 2) {
    choice.cluster_n = across;
    choice.cluster_m = down;
  }
  choice.stages = stages_name(config_of<std::uint32_t>(algo, CUBLASLT_ALGO_CONFIG_STAGES_ID));
  choice.split_k = config_of<std::int32_t>(algo, CUBLASLT_ALGO_CONFIG_SPLITK_NUM);
  choice.swizzle = int(config_of<std::uint32_t>(algo, CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING));
  choice.custom = int(config_of<std::uint32_t>(algo, CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION));
  choice.waves = found.waves;
  choice.id = std::make_shared<const LtChoice>(found);
  return choice;
}

}  // namespace

struct CublasLtTiles::State {
  explicit State(Workbench& b) : bench(b) {
    check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "making a stream");
  }
  ~State() { cudaStreamDestroy(stream); }

  Recipe recipe(const TileQuery& query, const TileChoice& choice) {
    const Scheme& scheme = scheme_of(query.scheme);
    const std::shared_ptr<Problem> problem = describe_product(scheme, size_of(query), bench);
    problem->choice = *static_cast<const LtChoice*>(choice.id.get());
    return library.recipe(problem, scheme, size_of(query), true, bench);
  }

  Workbench& bench;
  LtLibrary library;
  KernelNames names;
  cudaStream_t stream = nullptr;
};

CublasLtTiles::CublasLtTiles(Workbench& bench) : state_(std::make_unique<State>(bench)) {}
CublasLtTiles::~CublasLtTiles() = default;

std::vector<TileChoice> CublasLtTiles::choices(const TileQuery& query, int sms, int most) {
  const Scheme& scheme = scheme_of(query.scheme);
  const std::shared_ptr<Problem> problem = describe_product(scheme, size_of(query), state_->bench);
  if (sms > 0) problem->set(CUBLASLT_MATMUL_DESC_SM_COUNT_TARGET, std::int32_t(sms));
  std::vector<TileChoice> choices;
  for (const LtChoice& found : state_->library.choices(*problem, most))
    choices.push_back(choice_of(found, int(choices.size())));
  return choices;
}

void CublasLtTiles::name_kernels(const TileQuery& query, TileChoice& choice) {
  const Recipe recipe = state_->recipe(query, choice);
  check(cudaStreamBeginCapture(state_->stream, cudaStreamCaptureModeRelaxed), "capturing a graph");
  cudaGraph_t graph = nullptr;
  try {
    recipe.launch(state_->stream);
  } catch (...) {
    cudaStreamEndCapture(state_->stream, &graph);
    if (graph != nullptr) cudaGraphDestroy(graph);
    cudaGetLastError();
    throw;
  }
  check(cudaStreamEndCapture(state_->stream, &graph), "capturing a graph");
  state_->names.read(graph, choice);
  cudaGraphDestroy(graph);
}

std::unique_ptr<PreparedCase> CublasLtTiles::prepare(const TileQuery& query, const TileChoice& choice) {
  const Recipe recipe = state_->recipe(query, choice);
  return make_graph_case(recipe.launch, {.cold_bytes = recipe.cold_bytes, .l2_bytes = state_->bench.l2_bytes},
                         "", recipe.hold);
}

}  // namespace warploom::collector
