import Foundation
import POITestSupport

/// A server in Python on a free port of this machine; it ends with the object.
final class PythonServer {
  private let process = Process()

  /// Its address, without a final slash.
  let address: String

  /// Starts a script that listens on a free port, and writes its address to the file that its first argument names.
  init(_ script: String, _ arguments: [String] = [], in folder: String) throws {
    let place = folder + "/address-\(UUID().uuidString)"
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", script, place] + arguments
    process.standardError = FileHandle.nullDevice
    try process.run()
    var text = ""
    while text.isEmpty, process.isRunning {
      usleep(10_000)
      text = (try? String(contentsOfFile: place, encoding: .utf8)) ?? ""
    }
    address = text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  deinit {
    // SIGTERM is blocked in threads of the test runner, and so in what they start.
    kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
  }

  /// The server of `Samples/sync`.
  static func reference(
    database: String, key: String, in folder: String
  ) throws -> PythonServer {
    let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../Samples/sync/server.py").standardized.path
    return try PythonServer(script, [database, key], in: folder)
  }
}
