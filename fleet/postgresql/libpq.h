// The functions of libpq. The library is loaded when they are first needed, so that the program runs without
// it.
#pragma once

#include <libpq-fe.h>

#include "base/unique_handle.h"

namespace warptune::fleet::postgresql {

/// The functions that are used: `WARPTUNE_LIBPQ(F)` expands `F(name)` for each. clang-format would indent
/// each line further.
// clang-format off
#define WARPTUNE_LIBPQ(F) \
  F(PQconndefaults) F(PQconninfoParse) F(PQconninfoFree) F(PQfreemem) F(PQconnectdbParams) F(PQfinish) \
  F(PQstatus) F(PQerrorMessage) F(PQsocket) F(PQsetnonblocking) F(PQsendQuery) F(PQsendQueryParams) \
  F(PQflush) F(PQconsumeInput) F(PQisBusy) F(PQgetResult) F(PQclear) F(PQresultStatus) \
  F(PQresultErrorField) F(PQntuples) F(PQgetvalue) F(PQgetlength) F(PQgetisnull) F(PQuser) \
  F(PQsetNoticeProcessor)
// clang-format on

struct Libpq {
// NOLINTNEXTLINE(bugprone-macro-parentheses)
#define WARPTUNE_LIBPQ_MEMBER(name) decltype(&::name) name = nullptr;
  WARPTUNE_LIBPQ(WARPTUNE_LIBPQ_MEMBER)
#undef WARPTUNE_LIBPQ_MEMBER
};

/// Throws `base::MachineError` if the library is not installed.
const Libpq& libpq();

struct ConnectionTraits {
  using Handle = PGconn*;
  static Handle null() { return nullptr; }
  static void close(Handle handle) { libpq().PQfinish(handle); }
};
struct ResultTraits {
  using Handle = PGresult*;
  static Handle null() { return nullptr; }
  static void close(Handle handle) { libpq().PQclear(handle); }
};
struct OptionsTraits {
  using Handle = PQconninfoOption*;
  static Handle null() { return nullptr; }
  static void close(Handle handle) { libpq().PQconninfoFree(handle); }
};
using ConnectionHandle = base::UniqueHandle<ConnectionTraits>;
using ResultHandle = base::UniqueHandle<ResultTraits>;
using OptionsHandle = base::UniqueHandle<OptionsTraits>;

}  // namespace warptune::fleet::postgresql
