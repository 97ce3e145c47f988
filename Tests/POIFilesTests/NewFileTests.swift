import Glibc
import JSONStreaming
import POITestSupport
import Testing

@testable import POIFiles

@Suite struct NewFileTests {
  private func write(_ text: String, to file: borrowing NewFile) {
    let count = unsafe Glibc.write(file.descriptor.number, text, text.utf8.count)
    #expect(count == text.utf8.count)
  }

  private func names(in folder: borrowing ScratchFolder) -> [String] {
    Files.names(in: folder.path, isWhole: true)
  }

  @Test(arguments: [false, true])
  func `a file appears when it is complete`(replaces: Bool) throws {
    let folder = try ScratchFolder()
    if replaces { try folder.write("old", to: "out") }
    var file = try NewFile(folder.file("out"), mode: 0o640, replaces: replaces)
    write("new", to: file)
    #expect(names(in: folder).filter { $0 == "out" }.isEmpty != replaces)
    #expect(file.partialPath.hasPrefix(folder.file(".out.partial-")))
    try file.complete()
    _ = consume file
    #expect(try Files.bytes(of: folder.file("out")) == Array("new".utf8))
    #expect(names(in: folder) == ["out"])
    #expect(Files.mode(of: folder.file("out")) == 0o640)
  }

  @Test func `a file that is given up leaves nothing`() throws {
    let folder = try ScratchFolder()
    let file = try NewFile(folder.file("out"), mode: 0o600, replaces: true)
    write("half", to: file)
    try folder.write("", to: Files.name(of: file.partialPath) + "-journal")
    _ = consume file
    #expect(names(in: folder).isEmpty)
  }

  @Test func `a file that appears meanwhile is not replaced`() throws {
    let folder = try ScratchFolder()
    var file = try NewFile(folder.file("out"), mode: 0o600, replaces: false)
    try folder.write("other", to: "out")
    let error = #expect(throws: SystemError.self) { try file.complete() }
    #expect(error?.number == EEXIST)
    _ = consume file
    #expect(try Files.bytes(of: folder.file("out")) == Array("other".utf8))
    #expect(names(in: folder) == ["out"])
    let refusal = #expect(throws: SystemError.self) {
      _ = try NewFile(folder.file("out"), mode: 0o600, replaces: false)
    }
    #expect(refusal?.number == EEXIST)
  }

  @Test func `what a killed process left is removed, and what another one writes is not`() throws {
    let folder = try ScratchFolder()
    let others = [".out.partial-1", ".out.partial-0000000g", ".other.partial-00000000"]
    for name in others + [".out.partial-0000000f", ".out.partial-0000000f-journal"] {
      try folder.write("left", to: name)
    }
    let running = try NewFile(folder.file("out"), mode: 0o600, replaces: true)
    var file = try NewFile(folder.file("out"), mode: 0o600, replaces: true)
    try file.complete()
    _ = consume file
    let names = names(in: folder)
    #expect(Set(names) == Set(others + ["out", Files.name(of: running.partialPath)]))
  }

  @Test func `a name may have as many bytes as the file system allows`() throws {
    let folder = try ScratchFolder()
    for name in [String(repeating: "n", count: 255), String(repeating: "ü", count: 127)] {
      var file = try NewFile(folder.file(name), mode: 0o600, replaces: true)
      try file.complete()
      #expect(Files.mode(of: folder.file(name)) == 0o600)
    }
  }

  @Test func `the owner need not be able to write the complete file`() throws {
    let folder = try ScratchFolder()
    var file = try NewFile(folder.file("out"), mode: 0o444, replaces: true)
    #expect(Files.mode(of: file.partialPath).map { $0 & 0o600 } == 0o600)
    try file.complete()
    let mode = Files.mode(of: folder.file("out"))
    #expect(mode.map { $0 & 0o600 } == 0o400)
  }

  @Test func `a link stays one`() throws {
    let folder = try ScratchFolder()
    try folder.write("old", to: "file")
    #expect(unsafe symlink("file", folder.file("link")) == 0)
    var file = try NewFile(folder.file("link"), mode: 0o600, replaces: true)
    write("new", to: file)
    try file.complete()
    #expect(try Files.bytes(of: folder.file("file")) == Array("new".utf8))
    #expect(try Tool.shell("readlink link", [], in: folder.path).output == "file\n")
  }
}

extension Files {
  fileprivate static func name(of path: String) -> String {
    String(path.split(separator: "/").last ?? "")
  }
}
