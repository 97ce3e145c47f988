internal import JSONStreaming
internal import POIFiles
internal import POIKit
internal import POIPlatform

/// The file of `--html`: a page that appears when it is complete.
public struct PageFile: Sendable {
  private let path: String

  /// The file that a command line names; nil if it names none.
  ///
  /// - Throws: `ToolFailure` if something else than a page is there, or if no file can be written there.
  public init?(_ arguments: ParsedArguments) throws(ToolFailure) {
    guard let path = arguments.text("html") else { return nil }
    // No store and no log of one has such a name by accident.
    guard path.hasSuffix(".html"), !path.utf8.contains(0) else {
      throw ToolFailure(.usage, "--html '\(path)': name a file that ends with .html")
    }
    guard arguments.commandLine.count(where: { $0 == path || $0.hasSuffix("=" + path) }) == 1 else {
      throw ToolFailure(.usage, "--html '\(path)': another option names this file, too")
    }
    self.path = path
    try check()
    guard unsafe access(NewFile.folder(of: path), W_OK) == 0 else {
      throw ToolFailure(.ioError, "\(path): cannot write the page: \(SystemError.last.text)")
    }
  }

  /// Refuses to replace anything that is not a page.
  private func check() throws(ToolFailure) {
    let start = "<!DOCTYPE html><!-- poi-toolkit -->".utf8
    do throws(SystemError) {
      let bytes = try Descriptor(opening: path, flags: O_RDONLY | O_NONBLOCK)
        .bytes(at: 0, maximum: start.count)
      guard !bytes.isEmpty, !bytes.elementsEqual(start) else { return }
    } catch {
      guard error.number != ENOENT else { return }
      throw ToolFailure(.ioError, "\(path): \(error.text)")
    }
    throw ToolFailure(.usage, "\(path): holds something else than a page; name another file")
  }

  /// Writes the page.
  ///
  /// - Parameter mode: the permission bits; the umask is applied.
  /// - Throws: `ToolFailure` if it cannot be written.
  public func write(_ page: [UInt8], mode: UInt32) throws(ToolFailure) {
    try check()
    do throws(SystemError) {
      var file = try NewFile(path, mode: mode, replaces: true)
      try file.descriptor.write(page.span)
      try file.complete()
    } catch {
      throw ToolFailure(.ioError, "\(path): cannot write the page: \(error.text)")
    }
  }
}
