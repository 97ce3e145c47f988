import JSONStreaming
import POITestSupport
import Testing

@Suite struct ElementReaderTests {
  static let chunkings: [[Int]] = [[.max], [1], [2], [3], [7], [64], [1, 5, 2]]

  @Test(arguments: chunkings)
  func `the elements of a top-level array are read one by one`(chunkSizes: [Int]) throws {
    let events = summaries(
      #" [ {"a":1,"b":[true,false,null]} , "x\ny\u00e9", -1.5e3 ,[] ,{}] "#,
      .container(try JSONPointer(parsing: "")), chunkSizes: chunkSizes)
    #expect(
      events == [
        #"{"a":1,"b":[true,false,null]}"#, #""x\ny\u{e9}""#.replacing("\\u{e9}", with: "é"),
        "-1.5e3", "[]", "{}", "end",
      ])
  }

  @Test(arguments: chunkings)
  func `every top-level value of a sequence is an element`(chunkSizes: [Int]) {
    let events = summaries(
      "\u{FEFF}{\"a\":1}\n{\"a\":2}\r\n\n[3]{} 4 \"five\" 6", .sequence, chunkSizes: chunkSizes)
    #expect(events == [#"{"a":1}"#, #"{"a":2}"#, "[3]", "{}", "4", #""five""#, "6", "end"])
  }

  @Test(arguments: chunkings)
  func `an array inside an envelope is found by its pointer`(chunkSizes: [Int]) throws {
    let events = summaries(
      #"{"meta":{"stations":[0]},"data":[{"x":[9]},{"skip":[[1]],"stations":[{"id":1},2],"t":[5]}],"z":{}}"#,
      .container(try JSONPointer(parsing: "/data/1/stations")), chunkSizes: chunkSizes)
    #expect(events == [#"{"id":1}"#, "2", "end"])
  }

  @Test(arguments: chunkings)
  func `the members of an object are elements with a name`(chunkSizes: [Int]) throws {
    let events = summaries(
      #"{"o": {"one" : {"id":1} , "t\u0077o":"2", "three":3, "four": [] }}"#,
      .container(try JSONPointer(parsing: "/o")), chunkSizes: chunkSizes)
    #expect(events == [#"one={"id":1}"#, #"two="2""#, "three=3", "four=[]", "end"])
  }
}
