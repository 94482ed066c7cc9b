#pragma once

// The eccentric anomaly E of Kepler's equation E - e sin E = M, by Newton's method: much to compute for an element.
constexpr float kEccentricity = 0.3f;

__device__ float eccentric_anomaly(float mean_anomaly) {
  float anomaly = mean_anomaly;
  for (int step = 0; step < 6; ++step) {
    const float error = anomaly - kEccentricity * sinf(anomaly) - mean_anomaly;
    anomaly -= error / (1.0f - kEccentricity * cosf(anomaly));
  }
  return anomaly;
}

#ifdef WARPTUNE_REFERENCE
__global__ void reference(const float* a, float* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double eccentricity = kEccentricity;
  double anomaly = a[i];
  for (int step = 0; step < 12; ++step) {
    const double error = anomaly - eccentricity * sin(anomaly) - a[i];
    anomaly -= error / (1.0 - eccentricity * cos(anomaly));
  }
  c[i] = static_cast<float>(anomaly);
}
#endif
