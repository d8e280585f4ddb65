// Registers, frames, spills and shared memory, as ptxas -v tells them.
extern __shared__ float dynamic[];

// Forced into 32 registers: spills.
extern "C" __global__ void __launch_bounds__(1024, 2) spills(float* x, int n) {
  float t[48];
  for (int i = 0; i < 48; ++i) t[i] = x[i * 1024 + threadIdx.x];
  for (int k = 0; k < n; ++k) {
#pragma unroll
    for (int i = 0; i < 48; ++i) t[i] = t[i] * t[(i + 5) % 48] + x[k];
  }
  for (int i = 0; i < 48; ++i) x[i * 1024 + threadIdx.x] = t[i];
}

// An array that is indexed by data lives in the frame, which is not a spill.
extern "C" __global__ void local_array(float* x, int n) {
  float t[40];
  for (int i = 0; i < 40; ++i) t[i] = x[i];
  for (int i = 0; i < n; ++i) t[(i * 7 + n) % 40] += t[i % 40] * x[i];
  float sum = 0;
  for (int i = 0; i < 40; ++i) sum += t[i];
  x[threadIdx.x] = sum;
}

extern "C" __global__ void shared_array(float* x) {
  __shared__ float s[100];
  s[threadIdx.x] = dynamic[threadIdx.x] + x[threadIdx.x];
  __syncthreads();
  x[threadIdx.x] = s[99 - threadIdx.x];
}

extern "C" __global__ void plain(float* x, float a) { x[threadIdx.x] = a * x[threadIdx.x]; }
