/* warptune
[kernel]
name = "memories_image"
description = "an image rotated about its centre; each pixel is read from its source position"
about = """
Thread (x, y) writes pixel (x, y) of the rotated image. It computes the position in the original image and takes the
nearest pixel there. With interpolated = 1, it takes the weighted mean of the four pixels around that position. Threads
of a warp are side by side in the output. They read pixels along a slanted line. These pixels are near one another in
two dimensions. But they are far apart in memory, because rows of the image are between them. Sine and cosine are
integers in units of 1 / 65536, so that every way to read takes exactly the same pixels.

READ is how pixels are read. `plain` and `read_only` (`__ldg`) are loads. `texture_1d` fetches by an index. `texture_2d`
fetches by column and row. These fetches handle the image's border and, where requested, the mean, with weights of 8
bits. The textures use the same linear memory. (An array that the GPU stores in tiles would be a copy of it.)
"""
entry = "memories_image"
defines.INTERPOLATED = "interpolated"
defines.READ_ONLY = 'READ == "read_only"'
defines.TEXTURE_1D = 'READ == "texture_1d"'
defines.TEXTURE_2D = 'READ == "texture_2d"'

[problem]
WIDTH = { value = 4096, description = "columns of the image" }
HEIGHT = { value = 4096, description = "rows of the image" }
sine = { value = 32768, description = "sine of the angle in units of 1 / 65536" }
cosine = { value = 56756, description = "cosine of the angle in units of 1 / 65536" }
interpolated = { value = 0, description = "1: the mean of four pixels; 0: the nearest pixel" }

[parameters]
READ = { values = ["plain", "read_only", "texture_1d", "texture_2d"], description = "how pixels are read" }
BLOCK_X = { values = [8, 16, 32, 64], description = "columns of a block" }
BLOCK_Y = { values = [4, 8, 16, 32], description = "rows of a block" }

[constraints]
list = [
  { expression = "BLOCK_X * BLOCK_Y >= 64 && BLOCK_X * BLOCK_Y <= 1024", reason = "blocks have 64 to 1024 threads" },
]

[default]
READ = "plain"
BLOCK_X = 32
BLOCK_Y = 8

[launch]
grid = ["ceil_div(WIDTH, BLOCK_X)", "ceil_div(HEIGHT, BLOCK_Y)"]
block = ["BLOCK_X", "BLOCK_Y"]

[[argument]]
name = "image"
kind = "in"
type = "f32"
count = "WIDTH * HEIGHT"
init = { kind = "uniform", low = 0.0, high = 1.0, seed = 1 }

[[argument]]
name = "line"
kind = "texture"
of = "image"

[[argument]]
name = "plane"
kind = "texture"
of = "image"
width = "WIDTH"
height = "HEIGHT"

[[argument]]
name = "smooth_plane"
kind = "texture"
of = "image"
width = "WIDTH"
height = "HEIGHT"
filter = "linear"

[[argument]]
name = "rotated"
kind = "out"
type = "f32"
count = "WIDTH * HEIGHT"

[[argument]]
name = "width"
kind = "scalar"
type = "i32"
value = "WIDTH"

[[argument]]
name = "height"
kind = "scalar"
type = "i32"
value = "HEIGHT"

[[argument]]
name = "sine"
kind = "scalar"
type = "i32"
value = "sine"

[[argument]]
name = "cosine"
kind = "scalar"
type = "i32"
value = "cosine"

# The nearest pixel is copied and not computed, so it is exact. The texture's weights have 8 bits, so they are off by
# less than 2^-8 in either dimension. Pixels differ by at most 1. That gives 2^-7, and 2^-11 for the position, which is
# a float of up to 4096.
[check]
reference = "entry"
entry = "memories_image_reference"
grid = ["ceil_div(WIDTH, 32)", "ceil_div(HEIGHT, 8)"]
block = ["32", "8"]
absolute = "interpolated == 1 ? pow(2, -7) + pow(2, -11) : 0"
relative = 0.0

[work]
flops = "0"
bytes = "8 * WIDTH * HEIGHT"
*/

// Where pixel (x, y) comes from, from the image's corner, in units of 1 / 131072 of a pixel.
struct Position {
  int x, y;
};

__device__ __forceinline__ Position origin_of(int x, int y, int width, int height, int sine, int cosine) {
  const int right = 2 * x - width, down = 2 * y - height;  // from the centre, in halves of a pixel
  return {right * cosine - down * sine + (width << 16), right * sine + down * cosine + (height << 16)};
}

__device__ __forceinline__ int within(int index, int size) { return min(max(index, 0), size - 1); }

#ifndef WARPTUNE_REFERENCE
__device__ __forceinline__ float pixel_at(const float* image, cudaTextureObject_t line,
                                          cudaTextureObject_t plane, int column, int row, int width,
                                          int height) {
#if TEXTURE_2D
  return tex2D<float>(plane, column + 0.5f, row + 0.5f);
#else
  const int i = within(row, height) * width + within(column, width);
#if TEXTURE_1D
  return tex1Dfetch<float>(line, i);
#elif READ_ONLY
  return __ldg(image + i);
#else
  return image[i];
#endif
#endif
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    memories_image(const float* image, cudaTextureObject_t line, cudaTextureObject_t plane,
                   cudaTextureObject_t smooth_plane, float* rotated, int width, int height, int sine,
                   int cosine) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  if (x >= width || y >= height) return;
  const Position origin = origin_of(x, y, width, height, sine, cosine);
#if !INTERPOLATED
  const float pixel =
      pixel_at(image, line, plane, (origin.x + 65536) >> 17, (origin.y + 65536) >> 17, width, height);
#elif TEXTURE_2D
  const float pixel = tex2D<float>(smooth_plane, origin.x / 131072.0f + 0.5f, origin.y / 131072.0f + 0.5f);
#else
  const int column = origin.x >> 17, row = origin.y >> 17;
  const float right = (origin.x & 131071) / 131072.0f, down = (origin.y & 131071) / 131072.0f;
  const float upper_left = pixel_at(image, line, plane, column, row, width, height);
  const float upper_right = pixel_at(image, line, plane, column + 1, row, width, height);
  const float lower_left = pixel_at(image, line, plane, column, row + 1, width, height);
  const float lower_right = pixel_at(image, line, plane, column + 1, row + 1, width, height);
  const float upper = fmaf(right, upper_right - upper_left, upper_left);
  const float lower = fmaf(right, lower_right - lower_left, lower_left);
  const float pixel = fmaf(down, lower - upper, upper);
#endif
  rotated[y * width + x] = pixel;
}
#else
extern "C" __global__ void memories_image_reference(const float* image, cudaTextureObject_t,
                                                    cudaTextureObject_t, cudaTextureObject_t, float* rotated,
                                                    int width, int height, int sine, int cosine) {
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 8 + threadIdx.y;
  if (x >= width || y >= height) return;
  const Position origin = origin_of(x, y, width, height, sine, cosine);
#if !INTERPOLATED
  rotated[y * width + x] =
      image[within((origin.y + 65536) >> 17, height) * width + within((origin.x + 65536) >> 17, width)];
#else
  double sum = 0.0;
  for (int corner = 0; corner < 4; ++corner) {
    const double right = (origin.x & 131071) / 131072.0, down = (origin.y & 131071) / 131072.0;
    const int column = within((origin.x >> 17) + corner % 2, width),
              row = within((origin.y >> 17) + corner / 2, height);
    sum +=
        (corner % 2 ? right : 1.0 - right) * (corner / 2 ? down : 1.0 - down) * image[row * width + column];
  }
  rotated[y * width + x] = static_cast<float>(sum);
#endif
}
#endif
