// The program that the hardware checks profile: kernels whose bytes and FLOPs are known by construction, and every way
// to launch and to end. usage: checks MODE [NUMBER...]
#include <cooperative_groups.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <mma.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#define CHECK(call)                                                                              \
  do {                                                                                           \
    const cudaError_t status = (call);                                                           \
    if (status != cudaSuccess) {                                                                 \
      std::fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(status));                       \
      std::exit(9);                                                                              \
    }                                                                                            \
  } while (0)

namespace {

constexpr int kBlock = 256, kBlocks = 1024, kChain = 1024;

// ---------------------------------------------------------------- kernels with known work

__global__ void empty_kernel() {}
__global__ void ncclDevKernel_of_nobody() {}  // named as NCCL names its own: must not be replayed

__global__ void copy_kernel(const float4* from, float4* to, long n) {
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < n; i += gridDim.x * static_cast<long>(blockDim.x))
    to[i] = from[i];
}

__global__ void read_kernel(const float4* from, float* to, long n) {
  float sum = 0;
  for (long i = blockIdx.x * static_cast<long>(blockDim.x) + threadIdx.x; i < n; i += gridDim.x * static_cast<long>(blockDim.x))
    sum += from[i].x;
  if (sum == 12345.678f) *to = sum;  // never: keeps the reads
}

// kChain multiply-adds a thread, in a chain that the compiler cannot shorten.
template <class T>
__device__ void chain(T* out, T start, T factor, T add) {
  T value = start;
#pragma unroll 64
  for (int i = 0; i < kChain; ++i) value = value * factor + add;
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void fma_fp32(float* out, float factor) { chain<float>(out, threadIdx.x, factor, factor); }
__global__ void fma_fp64(double* out, double factor) { chain<double>(out, threadIdx.x, factor, factor); }
__global__ void fma_half2(__half2* out, float factor) {
  __half2 value = __float2half2_rn(static_cast<float>(threadIdx.x)), f = __float2half2_rn(factor);
#pragma unroll 64
  for (int i = 0; i < kChain; ++i) value = __hfma2(value, f, f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}
__global__ void fma_bf162(__nv_bfloat162* out, float factor) {
  __nv_bfloat162 value = __float2bfloat162_rn(static_cast<float>(threadIdx.x)), f = __float2bfloat162_rn(factor);
#pragma unroll 64
  for (int i = 0; i < kChain; ++i) value = __hfma2(value, f, f);
  out[blockIdx.x * blockDim.x + threadIdx.x] = value;
}

// kChain tensor products of 16 x 16 x 16 a warp: 2 * 16^3 operations each.
template <class A, class C, int M, int N, int K, class Layout = nvcuda::wmma::row_major>
__device__ void products(C* out) {
  using namespace nvcuda::wmma;
  fragment<matrix_a, M, N, K, A, Layout> a;
  fragment<matrix_b, M, N, K, A, col_major> b;
  fragment<accumulator, M, N, K, C> c;
  fill_fragment(a, static_cast<typename decltype(a)::storage_element_type>(1));
  fill_fragment(b, static_cast<typename decltype(b)::storage_element_type>(1));
  fill_fragment(c, static_cast<C>(0));
#pragma unroll 16
  for (int i = 0; i < kChain; ++i) mma_sync(c, a, b, c);
  store_matrix_sync(out + (blockIdx.x * blockDim.x + threadIdx.x) / 32 * M * N, c, N, mem_row_major);
}
__global__ void mma_fp16(float* out) { products<__half, float, 16, 16, 16>(out); }
__global__ void mma_bf16(float* out) { products<__nv_bfloat16, float, 16, 16, 16>(out); }
__global__ void mma_int8(int* out) { products<signed char, int, 16, 16, 16>(out); }
__global__ void mma_tf32(float* out) { products<nvcuda::wmma::precision::tf32, float, 16, 16, 8>(out); }
__global__ void mma_fp64(double* out) { products<double, double, 8, 8, 4>(out); }

__global__ void add_one(int* values, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] += 1;
}

__global__ void wait_1us() {
  long start;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  for (long now = start; now - start < 1000;) asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
}
__global__ void spin_10k() { for (long s = clock64(); clock64() - s < 10'000;) {} }
__global__ void spin_1m() { for (long s = clock64(); clock64() - s < 1'000'000;) {} }

__global__ void cooperative_kernel(int* out) {
  cooperative_groups::this_grid().sync();
  if (threadIdx.x == 0) atomicAdd(out, 1);
}

// ---------------------------------------------------------------- modes

template <class T>
T* device_memory(std::size_t bytes) {
  void* memory = nullptr;
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMemset(memory, 0, bytes));
  return static_cast<T*>(memory);
}

constexpr int kLaunches = 6;  // 2 are passed over, 3 counted

int values(long copy_bytes) {
  void* out = device_memory<char>(std::size_t{64} << 20);
  for (int i = 0; i < kLaunches; ++i) {
    fma_fp32<<<kBlocks, kBlock>>>(static_cast<float*>(out), 0.5f);
    fma_fp64<<<kBlocks, kBlock>>>(static_cast<double*>(out), 0.5);
    fma_half2<<<kBlocks, kBlock>>>(static_cast<__half2*>(out), 0.5f);
    fma_bf162<<<kBlocks, kBlock>>>(static_cast<__nv_bfloat162*>(out), 0.5f);
    mma_fp16<<<kBlocks, kBlock>>>(static_cast<float*>(out));
    mma_bf16<<<kBlocks, kBlock>>>(static_cast<float*>(out));
    mma_int8<<<kBlocks, kBlock>>>(static_cast<int*>(out));
    mma_tf32<<<kBlocks, kBlock>>>(static_cast<float*>(out));
    mma_fp64<<<kBlocks, kBlock>>>(static_cast<double*>(out));
  }
  auto* from = device_memory<float4>(static_cast<std::size_t>(copy_bytes));
  auto* to = device_memory<float4>(static_cast<std::size_t>(copy_bytes));
  for (int i = 0; i < kLaunches; ++i) copy_kernel<<<4096, 256>>>(from, to, copy_bytes / 16);
  CHECK(cudaDeviceSynchronize());
  return 0;
}

double launch_many(long n) {
  empty_kernel<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  const auto start = std::chrono::steady_clock::now();
  for (long i = 0; i < n; ++i) empty_kernel<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

int empty(long n) {
  std::printf("seconds_per_launch %.9g\n", launch_many(n) / static_cast<double>(n));
  return 0;
}

int ends(const std::string& how, long n) {
  launch_many(n - 1);
  std::fflush(stdout);
  if (how == "_exit") ::_exit(0);
  if (how == "kill") ::kill(::getpid(), SIGKILL);
  if (how == "late_kill") {
    ::usleep(500'000);
    ::kill(::getpid(), SIGKILL);
  }
  if (how == "term") ::kill(::getpid(), SIGTERM);
  if (how == "fork") {
    if (const pid_t child = ::fork(); child == 0) std::exit(0);
    int status = 0;
    ::wait(&status);
  }
  return 0;
}

int graph(int nodes, long launches) {
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  for (int i = 0; i < nodes; ++i) empty_kernel<<<1, 32, 0, stream>>>();
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  std::size_t before = 0, after = 0, total = 0;
  CHECK(cudaMemGetInfo(&before, &total));
  for (long i = 0; i < launches; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaStreamSynchronize(stream));
  CHECK(cudaMemGetInfo(&after, &total));
  std::printf("device_memory_grown_bytes %lld\n", static_cast<long long>(before) - static_cast<long long>(after));
  return 0;
}

int in_place(int launches) {
  constexpr int kN = 1 << 20;
  int* values = device_memory<int>(kN * sizeof(int));
  for (int i = 0; i < launches; ++i) add_one<<<kN / 256, 256>>>(values, kN);
  std::vector<int> host(kN);
  CHECK(cudaMemcpy(host.data(), values, kN * sizeof(int), cudaMemcpyDeviceToHost));
  const bool right = std::all_of(host.begin(), host.end(), [&](int v) { return v == launches; });
  std::printf("in_place %s: %d after %d launches\n", right ? "right" : "WRONG", host[0], launches);
  return right ? 0 : 8;
}

int threads(int count, int launches) {
  std::vector<std::thread> running;
  for (int t = 0; t < count; ++t)
    running.emplace_back([=] {
      cudaStream_t stream;
      CHECK(cudaStreamCreate(&stream));
      for (int i = 0; i < launches; ++i) empty_kernel<<<1 + t, 32, 0, stream>>>();
      CHECK(cudaStreamSynchronize(stream));
    });
  for (auto& thread : running) thread.join();
  return 0;
}

int cooperative(int launches) {
  int* out = device_memory<int>(sizeof(int));
  void* arguments[] = {&out};
  for (int i = 0; i < launches; ++i)
    CHECK(cudaLaunchCooperativeKernel(reinterpret_cast<void*>(cooperative_kernel), 16, 64, arguments, 0, nullptr));
  CHECK(cudaDeviceSynchronize());
  return 0;
}

template <class Launch>
void event_median(const char* name, Launch launch) {
  cudaEvent_t start, end;
  CHECK(cudaEventCreate(&start));
  CHECK(cudaEventCreate(&end));
  std::vector<float> times;
  for (int i = 0; i < 50; ++i) {
    float ms = 0;
    CHECK(cudaEventRecord(start));
    launch();
    CHECK(cudaEventRecord(end));
    CHECK(cudaEventSynchronize(end));
    CHECK(cudaEventElapsedTime(&ms, start, end));
    times.push_back(ms);
  }
  std::nth_element(times.begin(), times.begin() + 25, times.end());
  std::printf("%s %.9g\n", name, times[25] * 1e-3);
}

int ladder() {
  event_median("wait_1us", [] { wait_1us<<<1, 1>>>(); });
  event_median("spin_10k", [] { spin_10k<<<1, 1>>>(); });
  event_median("spin_1m", [] { spin_1m<<<1, 1>>>(); });
  return 0;
}

int resident(long bytes) {
  auto* from = device_memory<float4>(static_cast<std::size_t>(bytes));
  auto* to = device_memory<float>(64);
  for (int i = 0; i < kLaunches; ++i) read_kernel<<<1024, 256>>>(from, to, bytes / 16);
  CHECK(cudaDeviceSynchronize());
  return 0;
}

int ballast(long gigabytes) {
  for (long i = 0; i < gigabytes; ++i) device_memory<char>(std::size_t{1} << 30);
  for (int i = 0; i < kLaunches; ++i) empty_kernel<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  return 0;
}

int nccl_named() {
  for (int i = 0; i < kLaunches; ++i) ncclDevKernel_of_nobody<<<1, 32>>>();
  for (int i = 0; i < kLaunches; ++i) empty_kernel<<<1, 32>>>();
  CHECK(cudaDeviceSynchronize());
  return 0;
}

int busy(long milliseconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(milliseconds);
  void* out = device_memory<char>(std::size_t{64} << 20);
  long launches = 0;
  for (; std::chrono::steady_clock::now() < end; ++launches) {
    mma_fp16<<<kBlocks, kBlock>>>(static_cast<float*>(out));
    if (launches % 100 == 0) CHECK(cudaDeviceSynchronize());
  }
  CHECK(cudaDeviceSynchronize());
  std::printf("launches %ld\n", launches);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string mode = count > 1 ? words[1] : "";
  const auto number = [&](int i, long otherwise) { return count > i ? std::atol(words[i]) : otherwise; };
  if (mode == "values") return values(number(2, 4L << 30));
  if (mode == "empty") return empty(number(2, 1'000'000));
  if (mode == "ends") return ends(count > 2 ? words[2] : "return", number(3, 100'000));
  if (mode == "graph") return graph(static_cast<int>(number(2, 100)), number(3, 1000));
  if (mode == "in_place") return in_place(static_cast<int>(number(2, 6)));
  if (mode == "threads") return threads(static_cast<int>(number(2, 4)), static_cast<int>(number(3, 1000)));
  if (mode == "cooperative") return cooperative(static_cast<int>(number(2, 6)));
  if (mode == "ladder") return ladder();
  if (mode == "resident") return resident(number(2, 20'000'000));
  if (mode == "ballast") return ballast(number(2, 1));
  if (mode == "nccl_named") return nccl_named();
  if (mode == "busy") return busy(number(2, 3000));
  std::fprintf(stderr, "usage: checks values|empty|ends|graph|in_place|threads|cooperative|ladder|resident|ballast|nccl_named|busy\n");
  return 2;
}
