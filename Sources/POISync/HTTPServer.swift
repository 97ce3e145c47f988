/// A server of the sync protocol over HTTP.
///
/// It has two routes: `GET …/pull?checkpoint=…&limit=…`, without a checkpoint for the first page, and `POST …/push`.
public struct HTTPServer: SyncServer, Sendable {
  private let address: String
  private let client: HTTPClient

  /// - Parameters:
  ///   - address: the address before `/pull` and `/push`.
  ///   - client: what makes the requests; nil for one without headers.
  /// - Throws: `SyncError` with `unusable` for an address that cannot be used.
  public init(address: String, client: HTTPClient? = nil) throws(SyncError) {
    let client = if let client { client } else { try HTTPClient() }
    try client.check(address: address)
    guard !address.contains("?") else {
      throw SyncError(.unusable, "'\(address)' has a query; name what is before /pull")
    }
    self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
    self.client = client
  }

  /// Asks for a page.
  public func pull(after checkpoint: String?, limit: Int) throws(SyncError) -> [UInt8] {
    let place = checkpoint.map { "&checkpoint=\(HTTPClient.escaped($0))" } ?? ""
    return try client.answer(to: "\(address)/pull?limit=\(limit)\(place)")
      .bodyOfSuccess(from: address)
  }

  /// Sends records.
  public func push(_ request: [UInt8]) throws(SyncError) -> [UInt8] {
    try client.answer(to: "\(address)/push", method: "POST", sending: request)
      .bodyOfSuccess(from: address, isPush: true)
  }
}
