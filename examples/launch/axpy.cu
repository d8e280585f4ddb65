// y = a * x + y, four elements a thread: the kernel that axpy.yaml describes and launches.
extern "C" __global__ void axpy(const float4* x, float4* y, int quads, float a) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= quads) return;
  const float4 u = x[i];
  float4 v = y[i];
  v.x += a * u.x;
  v.y += a * u.y;
  v.z += a * u.z;
  v.w += a * u.w;
  y[i] = v;
}
