#include "tests/fleet/postgresql/certificates.h"

#include <fstream>
#include <utility>

#include "tests/fleet/postgresql/ordinary_user.h"

namespace warptune::fleet::postgresql::testing {

namespace fs = std::filesystem;

namespace {

// `openssl ca` can sign for times in the past. It keeps a list of what it has signed.
constexpr const char* kSettings = R"([ca]
default_ca = test
[test]
database = index.txt
rand_serial = yes
new_certs_dir = .
default_md = sha256
policy = any
copy_extensions = copy
unique_subject = no
[any]
commonName = supplied
)";

}  // namespace

Certificates::Certificates(fs::path folder) : folder_(std::move(folder)) {
  fs::create_directory(folder_);
  give_to_ordinary_user(folder_);
  std::ofstream(folder_ / "ca.cnf") << kSettings;
  std::ofstream(folder_ / "index.txt").close();
  give_to_ordinary_user(folder_ / "index.txt");
  run_program({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
               "-days", "30", "-subj", "/CN=authority of " + folder_.filename().string(), "-keyout",
               folder_ / "authority.key", "-out", folder_ / "authority.crt"},
              folder_ / "log");
}

void Certificates::make(const std::string& name, const std::string& subject, bool has_expired) const {
  run_program({"openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
               "/CN=" + subject, "-addext", "subjectAltName=DNS:" + subject, "-keyout",
               folder_ / (name + ".key"), "-out", folder_ / (name + ".csr")},
              folder_ / "log");
  const std::string script =
      "cd \"$1\" && openssl ca -batch -config ca.cnf -cert authority.crt -keyfile authority.key "
      "-in \"$2.csr\" -out \"$2.crt\" -notext -startdate 20200101000000Z -enddate \"$3\" && chmod "
      "600 \"$2.key\"";
  run_program(
      {"sh", "-c", script, "sh", folder_.string(), name, has_expired ? "20210101000000Z" : "20491231235959Z"},
      folder_ / "log");
}

}  // namespace warptune::fleet::postgresql::testing
