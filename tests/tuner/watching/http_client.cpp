#include "tests/tuner/watching/http_client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <regex>
#include <sstream>

namespace warptune::tuner::watching {

int connect_to(std::uint16_t port, const char* address) {
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  ::inet_pton(AF_INET, address, &to.sin_addr);
  if (::connect(client, reinterpret_cast<const sockaddr*>(&to), sizeof to) == 0) return client;
  ::close(client);
  return -1;
}

ReceivedAnswer fetch(std::uint16_t port, const std::string& target, const std::string& host,
                     const std::string& method) {
  const int client = connect_to(port);
  if (client < 0) return {};
  const std::string request =
      method + " " + target + " HTTP/1.1\r\nHost: " + host + "\r\nConnection: close\r\n\r\n";
  std::string text;
  if (::send(client, request.data(), request.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(request.size())) {
    char part[4096];
    for (ssize_t got = 0; (got = ::recv(client, part, sizeof part, 0)) > 0;)
      text.append(part, static_cast<std::size_t>(got));
  }
  ::close(client);
  ReceivedAnswer answer;
  const std::size_t end = text.find("\r\n\r\n");
  if (end == std::string::npos) return answer;
  answer.body = text.substr(end + 4);
  std::istringstream lines(text.substr(0, end));
  std::string line;
  std::getline(lines, line);
  answer.status = std::stoi(line.substr(line.find(' ')));
  while (std::getline(lines, line)) {
    const std::size_t colon = line.find(": ");
    if (!line.empty() && line.back() == '\r') line.pop_back();
    answer.headers[line.substr(0, colon)] = line.substr(colon + 2);
  }
  return answer;
}

ServedAddress address_in(const std::string& text) {
  std::smatch found;
  if (!std::regex_search(text, found, std::regex("http://127\\.0\\.0\\.1:(\\d+)(/[0-9a-f]+/)"))) return {};
  return {static_cast<std::uint16_t>(std::stoi(found[1])), found[2]};
}

}  // namespace warptune::tuner::watching
