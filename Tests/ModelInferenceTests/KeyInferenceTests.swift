import POITestSupport
import Testing

@testable import ModelInference
@testable import POIFiles
@testable import POIKit
@testable import POIRecords

/// Which attribute an inferred model names as the key and as the timestamp.
@Suite struct KeyInferenceTests {
  /// The `x-key` and the comment of the model of `count` records; `%` in a record is replaced by its number.
  private static func key(
    _ record: String, count: Int = 40, name: String = "places.json"
  ) throws -> (name: String?, comment: String) {
    let records = (0..<count).map {
      record.replacing("%%", with: "\($0 / 2)").replacing("%", with: "\($0)")
    }
    return try key(ofInputs: [records.joined(separator: "\n")])
  }

  private static func key(ofInputs texts: [String]) throws -> (name: String?, comment: String) {
    var inference = try ModelInference(options: ModelInferenceTests.options)
    for (number, text) in texts.enumerated() {
      var source = BytesSource(Array(text.utf8), name: "places-\(number).json")
      try inference.read(from: &source)
    }
    let document = try inference.finish()
    return (
      try ModelInferenceTests.member("x-key", of: document)?.string,
      try ModelInferenceTests.member("$comment", of: document)?.string ?? ""
    )
  }

  // MARK: Names

  @Test(arguments: [
    // The source's own identifier.
    (#"{"other_id":%,"code":"c%","id":"x%"}"#, "id"),
    (#"{"other_id":%,"_id":{"$oid":"x%"}}"#, "id"),
    (#"{"other_id":%,"@id":"x%"}"#, "id"),
    (#"{"other_id":%,"identifier":"x%"}"#, "identifier"),
    (#"{"other_id":%,"uuid":"x%"}"#, "uuid"),
    (#"{"other_id":%,"GlobalID":"x%"}"#, "GlobalID"),
    (#"{"owner":{"id":%},"properties":{"id":"x%"}}"#, "id"),
    // Names that end like an identifier, also in inner objects.
    (#"{"code":"c%","station_id":%}"#, "station_id"),
    (#"{"code":"c%","stationId":%}"#, "stationId"),
    (#"{"code":"c%","stationID":%}"#, "stationID"),
    (#"{"code":"c%","station_key":%}"#, "station_key"),
    (#"{"code":"c%","owner":{"id":%}}"#, "owner_id"),
    (#"{"shared_id":"x%%","station_id":%}"#, "station_id"),
    (#"{"owner_id":"x%","placeID":%}"#, "placeID"),
    (#"{"owner_id":"x%","place":{"id":%}}"#, "place_id"),
    // `code`, then unique codes and integers.
    (#"{"iso":"i%","code":"c%"}"#, "code"), (#"{"iso":"i%"}"#, "iso"), (#"{"number":%}"#, "number"),
    (#"{"name":"n%","token":"1975db51-5a45-4fd6-ac54-46ca6042c%"}"#, "name"),
  ])
  func `the key is chosen by its name first`(record: String, name: String) throws {
    let key = try Self.key(record)
    #expect(key.name == name, "\(key.comment)")
  }

  @Test(arguments: [
    #"{"size":1.%}"#, #"{"text":"1.%"}"#, #"{"text":"a b%"}"#, #"{"latitude":%}"#, #"{"lon":"%"}"#,
    #"{"day":"2024-02-29T00:00:%Z"}"#, #"{"since":16680391%}"#,
    #"{"since":16680391%,"n":16680391%}"#,
    #"{"population":%}"#, #"{"stationCount":%}"#, #"{"a":[%]}"#, #"{"a":{"b":[{"c":%}]}}"#,
    #"{"a":"x%%"}"#,
  ])
  func `measures, moments, prose and nested values are no keys`(record: String) throws {
    let records = (10..<50).map { record.replacing("%%", with: "7").replacing("%", with: "\($0)") }
    let key = try Self.key(ofInputs: [records.joined(separator: "\n")])
    #expect(key.name == nil, "\(key.comment)")
    #expect(key.comment.contains("No key: "))
  }

  @Test(arguments: ["OBJECTID", "objectid", "FID", "OGC_FID", "rowid"])
  func `a number that each export assigns anew is no key`(name: String) throws {
    let key = try Self.key(#"{"\#(name)":%,"text":"a b"}"#)
    #expect(key.name == nil, "\(key.comment)")
    let column = name == "rowid" ? "rowid_" : name
    #expect(key.comment.contains("numbers the records anew, so these are no keys: \(column)."))
    let better = try Self.key(#"{"\#(name)":%,"site_id":"x%"}"#)
    #expect(better.name == "site_id", "\(better.comment)")
    // The feature's own id repeats the number.
    let feature = try Self.key(#"{"id":%,"properties":{"\#(name)":%,"GLOBALID":"x%"}}"#)
    #expect(feature.name == "GLOBALID", "\(feature.comment)")
    #expect(try Self.key(#"{"id":7%,"properties":{"\#(name)":%}}"#).name == "id")
  }

  // MARK: Repetitions

  @Test func `a repeated id is a doubtful key, and a repeated reference is not`() throws {
    let own = try Self.key(#"{"id":"x%%","grade":%}"#)
    #expect(own.name == "id")
    #expect(own.comment.contains("Key: id (doubtful), 20 of 40 are duplicates;"), "\(own.comment)")
    let identical = try Self.key(#"{"id":"x%%","grade":7}"#)
    #expect(identical.comment.contains("Key: id, 20 of 40 are duplicates."), "\(identical.comment)")
    let reference = try Self.key(#"{"student_id":"x%%","grade":7}"#)
    #expect(reference.name == nil)
    #expect(
      reference.comment.contains("No key: student_id repeats, in 20 of 40; name it with x-key if"),
      "\(reference.comment)")
    let few = (0..<40).map { #"{"student_id":\#(max($0, 2)),"grade":\#($0)}"# }.joined(
      separator: "\n")
    let doubtful = try Self.key(ofInputs: [few])
    #expect(doubtful.name == "student_id")
    #expect(doubtful.comment.contains("Key: student_id (doubtful), 2 of 40"), "\(doubtful.comment)")
    let byChance = try Self.key(#"{"iso":"i%"}"#)
    #expect(
      byChance.comment.contains("Key: iso (doubtful: only its values suggest it), unique."),
      "\(byChance.comment)")
  }

  @Test func `versions of a record do not make its key doubtful`() throws {
    func records(_ member: (_ version: Int) -> String) -> String {
      (0..<60).map { #"{"id":\#($0 / 3),"n":\#($0),\#(member($0 % 3))}"# }.joined(separator: "\n")
    }
    let versions = records { #""updated":"2026-01-0\#($0 + 1)T00:00:00Z""# }
    let key = try Self.key(ofInputs: [versions])
    #expect(key.comment.contains("Key: id, 40 of 60 are duplicates;"), "\(key.comment)")
    // A name that says last, a time of the event, and one time for two records tell no versions apart.
    for text in [
      records { #""last_name":"n\#($0)""# }, records { #""time":"2026-01-0\#($0 + 1)T00:00:00Z""# },
      records { #""updated":"2026-01-0\#(max(1, $0))T00:00:00Z""# },
    ] {
      let key = try Self.key(ofInputs: [text])
      #expect(key.comment.contains("Key: id (doubtful), 40 of 60"), "\(key.comment)")
    }
  }

  @Test func `the ids of OpenStreetMap number each type for itself`() throws {
    func records(_ kinds: [String]) -> String {
      kinds.flatMap { kind in
        (0..<20).map { #"{"type":"\#(kind)","id":\#($0),"lat":\#($0).5,"lon":1.5}"# }
      }.joined(separator: "\n")
    }
    let key = try Self.key(ofInputs: [records(["node", "way", "relation"])])
    #expect(key.comment.contains("Key: type, id, 40 of 60 are duplicates"), "\(key.comment)")
    let other = try Self.key(ofInputs: [records(["school", "college"])])
    #expect(other.comment.contains("Key: id (doubtful), 20 of 40"), "\(other.comment)")
  }

  @Test(arguments: [(10, nil as String?), (9, "id")])
  func `a key of which one value repeats most is not a key`(count: Int, name: String?) throws {
    let records = (0..<40).map { #"{"id":\#(max($0, count - 1)),"grade":7}"# }
    let key = try Self.key(ofInputs: [records.joined(separator: "\n")])
    #expect(key.name == name, "\(key.comment)")
    if name == nil {
      #expect(key.comment.contains("one value of id is in 10 records"), "\(key.comment)")
    }
    // Many values that repeat are versions.
    let versions = records + (10..<30).map { #"{"id":\#($0),"grade":8}"# }
    #expect(try Self.key(ofInputs: [versions.joined(separator: "\n")]).name == "id")
  }

  @Test func `one record suffices to see that id is the key`() throws {
    #expect(try Self.key(ofInputs: [#"{"id":7,"name":"a b"}"#]).name == "id")
    #expect(try Self.key(ofInputs: [#"{"station_id":7,"name":"a b"}"#]).name == nil)
  }

  @Test func `values that several inputs share are no repetitions`() throws {
    let delivery = (0..<40).map { #"{"station_id":\#($0),"n":7}"# }.joined(separator: "\n")
    let key = try Self.key(ofInputs: [delivery, delivery, delivery])
    #expect(key.name == "station_id")
    #expect(key.comment.contains("Key: station_id, unique."), "\(key.comment)")
  }

  @Test func `a number that means another record in the next input is no key beside a better one`()
    throws
  {
    // Each delivery numbers the stations anew.
    func delivery(_ round: Int, _ members: (Int) -> String) -> String {
      (0..<200).map { number in
        let station = (number * 7 + round * 31) % 200
        return
          #"{"id":\#(number),\#(members(station))"type":"station","bikes":\#((station + round) % 5)}"#
      }.joined(separator: "\n")
    }
    let named = (0..<3).map { round in
      delivery(round) {
        #""station_id":"s\#($0)","name":"n \#($0)","lat":\#(50 + Double($0) / 100),"#
      }
    }
    let key = try Self.key(ofInputs: named)
    #expect(key.name == "station_id", "\(key.comment)")
    #expect(
      key.comment.contains("In different inputs, records with the same id are different ones."),
      "\(key.comment)")
    // One delivery does not show it, and without a rival there is no better key.
    #expect(try Self.key(ofInputs: [named[0]]).name == "id")
    let alone = (0..<3).map { round in delivery(round) { #""name":"n \#($0)","# } }
    #expect(try Self.key(ofInputs: alone).name == "id")
    // Most members of a right key can change.
    let changing = (0..<3).map { round in
      (0..<200).map {
        #"{"id":\#($0),"owner_id":"o\#($0)","a":\#($0 * round),"b":\#($0 + round),"c":\#(round),"name":"n \#($0)"}"#
      }.joined(separator: "\n")
    }
    #expect(try Self.key(ofInputs: changing).name == "id")
  }

  @Test func `a candidate that less than half of the records have is no key`() throws {
    let some = (0..<40).map { $0 < 19 ? #"{"id":\#($0),"text":"a b"}"# : #"{"text":"a b"}"# }
    let key = try Self.key(ofInputs: [some.joined(separator: "\n")])
    #expect(key.name == nil)
    #expect(key.comment.contains("No key: id is missing in 21 of 40 records;"), "\(key.comment)")
  }

  @Test func `names of members that only count the records are the last choice`() throws {
    var options = ModelInferenceTests.options
    options.pointer = ""
    for (members, name) in [
      ((0..<12).map { #""\#($0)":{"station_id":"x\#($0)"}"# }, "station_id"),
      ((0..<12).map { #""\#($0 * 7)":{"station_id":"x\#($0)"}"# }, "key"),
      ((0..<12).map { #""\#($0)":{"text":"a b"}"# }, "key"),
    ] {
      let text = "{\(members.joined(separator: ","))}"
      let document = try ModelInferenceTests.infer(text, options: options)
      #expect(try ModelInferenceTests.member("x-key", of: document)?.string == name, "\(document)")
    }
  }

  // MARK: Timestamps

  @Test(arguments: [
    (#"{"reported":"%Z","updated":"%Z"}"#, "updated"),
    (#"{"time":"%Z","last_seen":"%Z"}"#, "last_seen"),
    (#"{"created_at":"%Z","time":"%Z"}"#, nil), (#"{"date":"%Z"}"#, nil), (#"{"ts":"%Z"}"#, nil),
    (#"{"opened_last":"%Z"}"#, nil), (#"{"created_at":"%Z"}"#, nil), (#"{"date_open":"%Z"}"#, nil),
    (#"{"birthday":"%Z"}"#, nil),
  ])
  func `the timestamp is chosen by its name`(record: String, name: String?) throws {
    let document = try ModelInferenceTests.infer(
      record.replacing("%", with: "2024-02-29T12:00:00"))
    #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == name)
  }

  @Test func `a timestamp of all records is preferred`() throws {
    let document = try ModelInferenceTests.infer(
      #"{"updated":"2024-02-29T12:00:00Z","reported":"2024-02-29T12:00:00Z"}{"reported":"2024-02-29T12:00:00Z"}"#
    )
    #expect(try ModelInferenceTests.member("x-timestamp", of: document)?.string == "reported")
  }
}
