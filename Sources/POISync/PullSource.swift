internal import JSONStreaming
internal import POIRecords

/// A server that offers its records without the sync protocol: what to ask, and where the parts of its answers are.
public struct PullSource: Sendable, Hashable {
  /// The address of the first page. `{token}` is replaced by the token of the last pull, and `{key}` by the key that a
  /// latest timestamp has beside it, see `Store.token(of:source:)`. A parameter of the query is left out if what it needs
  /// does not exist yet. `{page}` is replaced by the token at `nextPointer`.
  public var address: String

  /// See `ImportOptions.pointer`.
  public var recordPointer: String?

  /// See `ImportOptions.tokenPointer`.
  public var tokenPointer: String?

  /// The place of the address of the next page, or of its token: a JSON pointer. The last page has none.
  public var nextPointer: String?

  /// How much earlier than the token is asked, if that is a time, for records that come late.
  public var overlap: Duration?

  /// The address of a list of all keys; rows whose key it lacks are removed.
  public var idsAddress: String?

  /// A source.
  public init(address: String) { self.address = address }

  /// The form in which a store keeps it.
  var json: JSONValue {
    .object([
      "address": .string(address), "at": .string(recordPointer), "token": .string(tokenPointer),
      "next": .string(nextPointer),
      "overlap": overlap.map { .number(Int($0.components.seconds)) } ?? .null,
      "ids": .string(idsAddress),
    ])
  }

  init(_ json: JSONValue) {
    address = json["address"]?.string ?? ""
    recordPointer = json["at"]?.string
    tokenPointer = json["token"]?.string
    nextPointer = json["next"]?.string
    overlap = json["overlap"]?.integer.map { .seconds($0) }
    idsAddress = json["ids"]?.string
  }

  /// Whether each page ends with the token of the next one.
  var continuesByToken: Bool { nextPointer == nil && address.contains("{token}") }

  /// The address of a page.
  ///
  /// - Parameters:
  ///   - token: the token of the store; nil for all records.
  ///   - page: the token of the page; nil for the first one.
  /// - Throws: `SyncError` with `unusable` if there is an overlap, and the token is no time.
  func address(after token: String?, page: String? = nil) throws(SyncError) -> String {
    let parts = token?.split(separator: "\t", maxSplits: 2).map(String.init) ?? []
    let values = [
      ("{token}", try parts.first.map { (token) throws(SyncError) in try earlier(token) }),
      ("{key}", parts.count > 1 ? parts[1] : nil), ("{page}", page),
    ]
    let path = address.prefix { $0 != "?" }
    let query = address.dropFirst(path.count + 1).split(separator: "&").filter { parameter in
      values.allSatisfy { !parameter.contains($0.0) || $0.1 != nil }
    }
    var text = path + (query.isEmpty ? "" : "?") + query.joined(separator: "&")
    for (name, value) in values {
      text =
        text.split(separator: name, omittingEmptySubsequences: false)
        .joined(separator: HTTPClient.escaped(value ?? ""))[...]
    }
    return String(text)
  }

  /// The address of the page that another one names.
  ///
  /// - Throws: `SyncError` with `unusable` if it is on another server, which must not get the headers.
  func address(
    ofNext next: String, after address: String, token: String?
  ) throws(SyncError) -> String {
    if self.address.contains("{page}") { return try self.address(after: token, page: next) }
    let origin = HTTPClient.origin(of: address)
    if next.hasPrefix("/") { return origin + next }
    if next.hasPrefix("?") { return address.prefix { $0 != "?" } + next }
    guard HTTPClient.origin(of: next) == origin else {
      throw SyncError(
        .unusable,
        "\(address): '\(next)' is no page of this server; a token needs {page} in the address"
      )
    }
    return next
  }

  private func earlier(_ token: String) throws(SyncError) -> String {
    guard let overlap else { return token }
    let text = token.utf8Span.span
    if let instant = Instant(rfc3339: text, defaultOffsetMinutes: 0) {
      return instant.advanced(by: .zero - overlap).textWithMicroseconds
    }
    if let day = Instant(date: text) {
      return String(day.advanced(by: .zero - overlap).description.prefix(10))
    }
    // Seconds, milliseconds or microseconds since 1970 of this century.
    guard let number = Int64(token), (1_000_000_000...4_000_000_000_000_000).contains(number) else {
      throw SyncError(.unusable, "the token '\(token)' is no time, so it has no overlap")
    }
    let unit: Int64 =
      number < 100_000_000_000 ? 1 : number < 100_000_000_000_000 ? 1_000 : 1_000_000
    return "\(number - overlap.components.seconds * unit)"
  }
}
