import JSONStreaming
import Testing

@testable import POIRecords

@Suite struct RecordDigesterTests {
  private func digest(_ json: String) throws -> Digest {
    var intake = RecordIntake(model: .poi, limits: ReadingLimits(), validators: [])
    var reader = ElementReader(shape: .sequence, limits: ReadingLimits())
    reader.append(Array(json.utf8).span)
    reader.finish()
    while case .element = try reader.next() { intake.addElement(of: &reader) }
    try #require(intake.batch.recordCount == 1)
    var digester = RecordDigester(.poi)
    return digester.digest(record: 0, of: intake.batch)
  }

  private let identifier = "1975DB51-5A45-4FD6-AC54-46CA6042C710"

  @Test func `a record has the digest of its columns in their order`() throws {
    let digest = try digest(
      """
      {"name":"POI 0 ☕","category":{"name":"Café"},"latitude":10.5,"longitude":9,"country":null,
      "updatedAt":"1970-01-01T00:00:01Z","identifier":"\(identifier.lowercased())"}
      """)
    var content = CanonicalContent()
    func tag(_ name: String) -> UInt64 { CanonicalContent.nameTag(name) }
    let start = content.beginRelated(nameTag: tag("category"))
    content.append(text: Array("Café".utf8).span, nameTag: tag("name"))
    content.endRelated(at: start)
    content.append(text: Array(identifier.utf8).span, nameTag: tag("identifier"))
    content.append(real: 10.5, nameTag: tag("latitude"))
    content.append(integer: 9, nameTag: tag("longitude"))
    content.append(text: Array("POI 0 ☕".utf8).span, nameTag: tag("name"))
    content.append(integer: 1_000_000, nameTag: tag("updatedAt"))
    #expect(digest == content.digest)
  }

  @Test func `a text longer than any before it fits`() throws {
    let name = String(repeating: "long ", count: 5_000)
    let digest = try digest(
      #"{"identifier":"\#(identifier)","name":"\#(name)","latitude":1,"longitude":2}"#)
    var content = CanonicalContent()
    func tag(_ name: String) -> UInt64 { CanonicalContent.nameTag(name) }
    content.append(text: Array(identifier.utf8).span, nameTag: tag("identifier"))
    content.append(integer: 1, nameTag: tag("latitude"))
    content.append(integer: 2, nameTag: tag("longitude"))
    content.append(text: Array(name.utf8).span, nameTag: tag("name"))
    #expect(digest == content.digest)
  }
}
