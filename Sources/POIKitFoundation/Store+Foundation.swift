public import Foundation
public import POIKit
public import POIRecords

/// What a program with Foundation has: `Data`, `URL` and `FileHandle`.
extension Store {
  /// Opens the store at a file URL; see `Store.init(_:for:trustsSchema:)`.
  ///
  /// - Precondition: `url` is a file URL.
  public convenience init(_ url: URL, for opening: Opening = .create) throws(StoreError) {
    precondition(url.isFileURL, "\(url) is no file")
    try self.init(url.path(percentEncoded: false), for: opening)
  }

  /// Imports the records of a `Data`; see `importRecords(from:model:options:validators:progress:)`.
  ///
  /// - Parameter name: the name in reports; it identifies an unfinished import.
  @discardableResult
  public func importRecords(
    from data: Data, named name: String = "data", model: Model = .poi,
    options: ImportOptions = ImportOptions()
  ) throws(StoreError) -> ImportReport {
    try importRecords(from: .bytes(Array(data), named: name), model: model, options: options)
  }

  /// Imports the records of a file, or of an address that `curl` fetches; see
  /// `importRecords(from:model:options:validators:progress:)`.
  @discardableResult
  public func importRecords(
    from url: URL, model: Model = .poi, options: ImportOptions = ImportOptions()
  ) throws(StoreError) -> ImportReport {
    let path = url.isFileURL ? url.path(percentEncoded: false) : url.absoluteString
    return try importRecords(from: .file(path), model: model, options: options)
  }

  /// Writes the records of a table to a handle, which stays open; see `export(_:options:progress:to:)`.
  @discardableResult
  public func export(
    _ table: String? = nil, to handle: FileHandle, options: ExportOptions = ExportOptions()
  ) throws -> ExportReport {
    try export(table, options: options) { bytes in
      try handle.write(contentsOf: unsafe bytes.withUnsafeBytes { unsafe Data($0) })
    }
  }

  /// Writes the records of a table to a new file, which appears when it is complete. A file that is there is replaced.
  ///
  /// - Throws: what Foundation throws if the file cannot be written, and as `export(_:options:progress:to:)` does.
  @discardableResult
  public func export(
    _ table: String? = nil, to url: URL, options: ExportOptions = ExportOptions()
  ) throws -> ExportReport {
    let partial = url.deletingLastPathComponent()
      .appendingPathComponent(".\(url.lastPathComponent).partial-\(UUID().uuidString)")
    // As private as the store.
    let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    guard
      FileManager.default.createFile(
        atPath: partial.path(percentEncoded: false), contents: nil,
        attributes: mode.map { [.posixPermissions: $0] })
    else { throw CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: url]) }
    do {
      let handle = try FileHandle(forWritingTo: partial)
      let report = try export(table, to: handle, options: options)
      try handle.synchronize()
      try handle.close()
      guard unsafe rename(partial.path(percentEncoded: false), url.path(percentEncoded: false)) == 0
      else {
        throw CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: url])
      }
      return report
    } catch {
      try? FileManager.default.removeItem(at: partial)
      throw error
    }
  }
}
