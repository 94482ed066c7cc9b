// Certificates for tests of TLS, made by the program openssl.
#pragma once

#include <filesystem>
#include <string>

namespace warptune::fleet::postgresql::testing {

/// A folder with an authority and certificates that it has signed.
class Certificates {
 public:
  /// Makes the authority `authority.crt` in a new folder `folder`.
  explicit Certificates(std::filesystem::path folder);

  /// Makes `name.crt` and `name.key` for a server with the host name `subject`, or for a client whose user is
  /// `subject`. A certificate that has expired was valid until yesterday.
  void make(const std::string& name, const std::string& subject, bool has_expired = false) const;
  std::filesystem::path file(const std::string& name) const { return folder_ / name; }

 private:
  std::filesystem::path folder_;
};

}  // namespace warptune::fleet::postgresql::testing
