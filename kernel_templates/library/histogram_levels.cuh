#pragma once

// The bin of a sample: 0 to bins - 1, or `bins` where the sample is outside of the levels.
struct Levels {
  unsigned bins;
#if SAMPLE_IS_FLOAT
  float lower, upper, scale;

  __device__ __forceinline__ Levels(double lower_level, double upper_level, int bins_)
      : bins(static_cast<unsigned>(bins_)),
        lower(static_cast<float>(lower_level)),
        upper(static_cast<float>(upper_level)) {
    scale = static_cast<float>(bins_) / (upper - lower);
  }
  __device__ __forceinline__ unsigned bin(float sample) const {
    const unsigned found = static_cast<unsigned>(static_cast<int>((sample - lower) * scale));
    return sample >= lower && sample < upper ? (found < bins ? found : bins - 1) : bins;
  }
#else
  unsigned lower;  // modulo 2^32, as the offsets of samples are
  unsigned last;   // the greatest offset inside
  unsigned long long
      factor;  // BINS 2^32 / width of all bins: rounded up where that is exact for every offset, else down

  __device__ __forceinline__ Levels(double lower_level, double upper_level, int bins_)
      : bins(static_cast<unsigned>(bins_)),
        lower(static_cast<unsigned>(static_cast<long long>(lower_level))) {
    const unsigned long long range = static_cast<unsigned long long>(static_cast<long long>(upper_level) -
                                                                     static_cast<long long>(lower_level));
    last = static_cast<unsigned>(range - 1);
#if BIN_IS_OFFSET
    factor = 0;
#elif NARROW_RANGE
    factor = ((static_cast<unsigned long long>(bins) << 32) + range - 1) / range;
#else
    factor = (static_cast<unsigned long long>(bins) << 32) / range;
#endif
  }
  __device__ __forceinline__ unsigned bin(dtype sample) const {
    const unsigned offset = static_cast<unsigned>(sample) - lower;
#if BIN_IS_OFFSET
    const unsigned found = offset;
#elif NARROW_RANGE
    // Rounding up adds less than offset / 2^32 < 1 / range: too little to reach the next bin.
    const unsigned found = static_cast<unsigned>(offset * factor >> 32);
#else
    // Rounding down takes less than 1 off: one bin too low at most.
    unsigned found = static_cast<unsigned>(offset * factor >> 32);
    const unsigned long long range = static_cast<unsigned long long>(last) + 1;
    if (static_cast<unsigned long long>(offset) * bins - found * range >= range) ++found;
#endif
#if ALL_INSIDE
    return found;
#else
    return offset <= last ? found : bins;
#endif
  }
#endif
};
