public import Foundation
internal import JSONStreaming
internal import POIFiles
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

  /// Writes the records of a table to a file, which appears when it is complete, as private as the store. A file that is
  /// there is replaced.
  ///
  /// - Throws: as `export(_:options:progress:to:)` does; `StoreError` with `inputOutput` if the file cannot be written.
  @discardableResult
  public func export(
    _ table: String? = nil, to url: URL, options: ExportOptions = ExportOptions()
  ) throws -> ExportReport {
    let target = url.path(percentEncoded: false)
    do {
      var file = try NewFile(
        target, mode: StorePermissions.forFile(besideStoreAt: path), replaces: true)
      let report = try export(table, options: options) { try file.descriptor.write($0) }
      try file.complete()
      return report
    } catch let error as SystemError {
      throw StoreError(.inputOutput, "\(target): cannot write the export: \(error.text)")
    }
  }
}
