import Glibc
import POITestSupport
import Testing

@testable import POIFiles
@testable import POIKit

@Suite struct RejectFileTests {
  @Test func `a reject file is written by one import at a time`() throws {
    let folder = try ScratchFolder()
    let path = folder.file("bad.ndjson")
    do {
      let first = try RejectFile(path: path, storePath: nil)
      let error = #expect(throws: StoreError.self) {
        _ = try RejectFile(path: path, storePath: nil)
      }
      #expect(error?.code == .invalidOptions)
      #expect(error?.message.contains("another import writes its rejects there") == true)
      _ = consume first
    }
    _ = try RejectFile(path: path, storePath: nil)
  }

  @Test func `a file that holds something else stays, and no store is made`() throws {
    let folder = try ScratchFolder()
    let path = try folder.write("my notes", to: "bad.ndjson")
    let storePath = folder.file("a.sqlite")
    var options = ImportOptions()
    options.rejectFile = path
    let error = #expect(throws: StoreError.self) {
      try options.check(for: .poi, storePath: storePath)
    }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains("holds no rejects") == true)
    #expect(try folder.bytes("bad.ndjson") == Array("my notes".utf8))
  }

  /// The ways to give the reject file of an earlier run as input.
  enum Giving: CaseIterable {
    case named, path, source
  }

  @Test(arguments: Giving.allCases)
  func `an input is never overwritten by its rejects`(giving: Giving) throws {
    let folder = try ScratchFolder()
    let path = folder.file("bad.ndjson")
    var options = ImportOptions()
    options.rejectFile = path
    var first = try ImportSession(checking: .poi, options: options)
    try first.append(Array("{}\n".utf8).span)
    #expect(try first.finish().counters.rejected == 1)
    let rejects = try folder.bytes("bad.ndjson")
    #expect(unsafe symlink("bad.ndjson", folder.file("link")) == 0)
    let input = folder.file("link")
    let storePath = folder.file("a.sqlite")
    if giving == .named { options.inputNames = ["other", input] }
    let error = #expect(throws: StoreError.self) {
      try options.check(for: .poi, storePath: storePath)
      var session = try ImportSession(into: Store(storePath), model: .poi, options: options)
      if giving == .source {
        var source = try FileSource(path: input)
        try session.importAll(from: &source)
      } else {
        try session.importAll(ofFile: input)
      }
      _ = try session.finish()
    }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message == "\(path): the rejects would overwrite the input")
    #expect(error?.advice == [.useOtherRejectFile])
    #expect(try folder.bytes("bad.ndjson") == rejects)
    #expect(Files.names(in: folder.path).contains("a.sqlite") == (giving != .named))
  }

  @Test func `a path with a NUL in it is refused and leads to no other file`() throws {
    let folder = try ScratchFolder()
    var options = ImportOptions()
    options.rejectFile = folder.file("bad\0hidden")
    let error = #expect(throws: StoreError.self) {
      var session = try ImportSession(checking: .poi, options: options)
      try session.append(Array("{}\n".utf8).span)
      _ = try session.finish()
    }
    #expect(error?.code == .invalidOptions)
    #expect(error?.message.contains("holds a NUL character") == true)
    #expect(Files.names(in: folder.path).isEmpty)
  }

  @Test func `links that lead nowhere are refused when the file is to be written`() throws {
    let folder = try ScratchFolder()
    let paths = [folder.file("a"), folder.file("b")]
    #expect(unsafe symlink(paths[1], paths[0]) == 0)
    #expect(unsafe symlink(paths[0], paths[1]) == 0)
    let error = #expect(throws: StoreError.self) {
      _ = try RejectFile(path: paths[0], storePath: folder.file("a.sqlite"))
    }
    #expect(error?.code == .inputOutput)
  }
}
