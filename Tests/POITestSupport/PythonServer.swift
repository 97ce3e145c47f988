import Foundation

/// A server in Python on a free port of this machine; it ends with the object.
public final class PythonServer {
  private let process = Process()

  /// Its address, without a final slash.
  public let address: String

  /// Starts a script that listens on a free port, and writes its address to the file that its first argument names.
  public init(_ script: String, _ arguments: [String] = [], in folder: String) throws {
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

  /// A file of the project.
  ///
  /// - Parameter path: from its top level.
  public static func projectFile(_ path: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../" + path).standardized.path
  }

  /// The server of `Samples/sync`.
  public static func reference(
    database: String, key: String, in folder: String
  ) throws -> PythonServer {
    return try PythonServer(projectFile("Samples/sync/server.py"), [database, key], in: folder)
  }
}
