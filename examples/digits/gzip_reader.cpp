// Decompression of gzip streams, by zlib.
#include "gzip_reader.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "errors.hpp"

namespace digits {

struct GzipReader::State {
  z_stream stream{};
  std::array<unsigned char, 1 << 16> input;
  std::uint64_t delivered = 0;
  bool finished = false;
};

GzipReader::GzipReader(std::istream& compressed, std::string name)
    : compressed_(compressed), name_(std::move(name)), state_(std::make_unique<State>()) {
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (inflateInit2(&state_->stream, gzip_only) != Z_OK) throw std::bad_alloc();
}

GzipReader::~GzipReader() { inflateEnd(&state_->stream); }

bool GzipReader::refill() {
  auto& [stream, input, delivered, finished] = *state_;
  compressed_.read(reinterpret_cast<char*>(input.data()), static_cast<std::streamsize>(input.size()));
  if (compressed_.bad()) throw DataError(name_ + " cannot be read: input error");
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(compressed_.gcount());
  return stream.avail_in > 0;
}

void GzipReader::start_next_member() {
  z_stream& stream = state_->stream;
  if (stream.avail_in == 0 && !refill()) {
    state_->finished = true;
    return;
  }
  constexpr unsigned char first_byte_of_a_member = 0x1f;
  if (*stream.next_in != first_byte_of_a_member) throw DataError(name_ + ": other bytes follow the gzip stream");
  inflateReset(&stream);
}

std::size_t GzipReader::read(std::span<std::uint8_t> target) {
  auto& [stream, input, delivered, finished] = *state_;
  const std::size_t wanted = std::min<std::size_t>(target.size(), 1u << 30);  // zlib counts in 32 bits
  stream.next_out = target.data();
  stream.avail_out = static_cast<uInt>(wanted);
  while (stream.avail_out > 0 && !finished) {
    if (stream.avail_in == 0 && !refill())
      throw DataError(name_ + " is cut short: the gzip stream ends after " +
                      std::to_string(delivered + wanted - stream.avail_out) + " decompressed bytes");
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      start_next_member();
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK) {
      throw DataError(name_ +
                      " is not a gzip file or is damaged: " + (stream.msg != nullptr ? stream.msg : "wrong data") +
                      " after " + std::to_string(delivered + wanted - stream.avail_out) + " decompressed bytes");
    }
  }
  delivered += wanted - stream.avail_out;
  return wanted - stream.avail_out;
}

}  // namespace digits
