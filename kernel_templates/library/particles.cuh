#pragma once

// What kernels share that sum over all pairs of particles: a particle is four numbers, which lie together (IS_AOS) or
// in four arrays, one behind the other. APPROX_FTZ chooses the reciprocal square root.

// Number `component` of a particle.
__device__ __forceinline__ float component_of(const float* particles, long long i, int component,
                                              long long count) {
#if IS_AOS
  return __ldg(particles + 4 * i + component);
#else
  return __ldg(particles + component * count + i);
#endif
}

// `aligned` says whether `particles` is aligned to 16 bytes.
__device__ __forceinline__ float4 load_particle(const float* particles, long long i, long long count,
                                                bool aligned) {
#if IS_AOS
  if (aligned) return __ldg(reinterpret_cast<const float4*>(particles) + i);
#endif
  float4 particle;
  particle.x = component_of(particles, i, 0, count);
  particle.y = component_of(particles, i, 1, count);
  particle.z = component_of(particles, i, 2, count);
  particle.w = component_of(particles, i, 3, count);
  return particle;
}

__device__ __forceinline__ float reciprocal_root(float x) {
#if defined(__CUDA_ARCH__) && APPROX_FTZ
  float root;
  asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(root) : "f"(x));
  return root;
#else
  return rsqrtf(x);
#endif
}
