import JSONStreaming
import POITestSupport
import Testing

@testable import POIRecords

@Suite struct DatePatternTests {
  private static func read(
    _ text: String, _ pattern: String, zone: Int? = nil
  ) throws -> String? {
    try DatePattern(pattern).instant(text.utf8Span.span, defaultOffsetMinutes: zone)?.description
  }

  @Test(arguments: [
    ("2024-02-29T12:30:00Z", "2024-02-29T12:30:00Z"),
    ("2024-02-29T12:30:00-0700", "2024-02-29T19:30:00Z"),
    ("2024-02-29T12:30:00.250+0530", "2024-02-29T07:00:00.250Z"),
    ("2024-02-29 12:30:00+00", "2024-02-29T12:30:00Z"),
    ("2024-02-29 12:30:00.123456-08", "2024-02-29T20:30:00.123456Z"),
    ("2024-02-29T12:30:00+01:00", "2024-02-29T11:30:00Z"),
    ("2024-02-29 12:30:00 +0100", "2024-02-29T11:30:00Z"),
    ("2024-02-29 12:30:00 UTC", "2024-02-29T12:30:00Z"),
    ("2024-02-29T12:30Z", "2024-02-29T12:30:00Z"),
    ("1998-12-31T23:59:60+0000", "1999-01-01T00:00:00Z"),
    ("20240229T123000Z", "2024-02-29T12:30:00Z"), ("20240229T1230+01", "2024-02-29T11:30:00Z"),
    ("20240229t123000.5Z", "2024-02-29T12:30:00.500Z"),
    ("2024-02-29T12:30:00,25Z", "2024-02-29T12:30:00.250Z"),
    ("2024-02-29T24:00:00Z", "2024-03-01T00:00:00Z"),
    ("2024-02-29T12:30:00Z[UTC]", "2024-02-29T12:30:00Z"),
    ("2024-02-29T12:30:00+01:00[Europe/Paris]", "2024-02-29T11:30:00Z"),
  ])
  func `iso8601 reads what RFC 3339 leaves out of it`(text: String, instant: String) throws {
    #expect(try Self.read(text, "iso8601") == instant)
  }

  @Test(arguments: [
    "", "2024-02-29", "2024-02-29T12:30:00", "2024-02-30T12:30:00-0700",
    "2024-02-29T12:30:00-07000",
    "2024-02-29T12:30:00-7", "2024-02-29T12:30:00-070", "2024-02-29T12:30:00+2400",
    "2024-02-29T12:30:00-0760", "2024-02-29T12:30:00  +0100", "2024-02-29T12:30:00 ",
    "2024-02-29T12:30:00.+00", "2024-02-29T12:30:00 CEST", "2024-02-29T12+00", "1709209800",
    "1998-12-31T23:59:60+0100", "2024-02-29T24:00:01+00", "2024-02-29T12:30:00+01:",
    "20240229 123000Z", "20240230T123000Z", "2024-02-29T123000Z", "20240229T12:30:00Z",
    "2024-02-29T12:30:00,Z", "2024-02-29T12:30:00Z[UTC", "2024-02-29T12:30:00Z[]x",
    "2024-02-29T12:30:00[Europe/Paris]",
  ])
  func `iso8601 refuses other texts`(text: String) throws {
    #expect(try Self.read(text, "iso8601") == nil)
  }

  @Test(arguments: [
    ("2017/11/02 17:27:00", "2017-11-02T17:27:00Z"), ("2017/1/2", "2017-01-02T00:00:00Z"),
    ("02.11.2017 17:27", "2017-11-02T17:27:00Z"), ("2.1.2017", "2017-01-02T00:00:00Z"),
    ("2024-09-17 9:36:53 +02:00", "2024-09-17T07:36:53Z"),
    ("2024-09-17 9:36:53,5 UTC", "2024-09-17T09:36:53.500Z"),
    ("/Date(1509643620000)/", "2017-11-02T17:27:00Z"), ("/Date(-1000)/", "1969-12-31T23:59:59Z"),
    ("/Date(1509643620000+0100)/", "2017-11-02T17:27:00Z"),
    ("20171102T172700Z", "2017-11-02T17:27:00Z"),
    ("Thu, 02 Nov 2017 17:27:00 GMT", "2017-11-02T17:27:00Z"),
    ("2017-11-02", "2017-11-02T00:00:00Z"), ("2017-11-02 17:27:00", "2017-11-02T17:27:00Z"),
  ])
  func `a timestamp has any form that is read`(text: String, instant: String) {
    #expect(Instant(timestamp: text.utf8Span.span)?.description == instant)
  }

  @Test(arguments: [
    "", "N/A", "02/11/2017", "2017/11-02", "2017/13/02", "30.2.2024", "2.11.17", "2017/11/02 17",
    "2017/11/02 25:00", "/Date(x)/", "/Date()/", "/Date(1.5)/", "/Date(9223372036854775807)/",
    "1509643620", "2017-W44-4", "0000-00-00 00:00:00",
  ])
  func `other texts are no timestamps`(text: String) {
    #expect(Instant(timestamp: text.utf8Span.span) == nil)
  }

  @Test func `every form of a random time is read as the same instant, and written in its zone`() {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let time = RandomTime(using: &generator)
      for text in time.texts {
        let bytes = text.utf8Span.span
        #expect(
          Instant(timestamp: bytes)?.microseconds == time.microseconds, "seed \(seed), \(text)")
        for pattern in DatePattern.proposals {
          guard let instant = pattern.instant(bytes, defaultOffsetMinutes: 0) else { continue }
          #expect(instant.microseconds == time.microseconds, "seed \(seed), \(text)")
          let hasZone = pattern.instant(bytes) != nil
          var written = GrowableBuffer<UInt8>()
          pattern.append(instant, offsetMinutes: hasZone ? nil : 0, to: &written)
          #expect(
            pattern.instant(written.span) == (hasZone ? instant : nil), "seed \(seed), \(text)")
          #expect(
            pattern.instant(written.span, defaultOffsetMinutes: 0) == instant,
            "seed \(seed), \(text)")
        }
      }
    }
  }

  @Test func `iso8601 and rfc2822 read a text without a zone in a given one`() throws {
    #expect(
      try Self.read("2024-02-29T12:30:00", "iso8601", zone: 60) == "2024-02-29T11:30:00Z")
    #expect(
      try Self.read("29 Feb 2024 12:30", "rfc2822", zone: -60) == "2024-02-29T13:30:00Z")
  }

  /// Some are examples of RFC 2822 and RFC 9110.
  @Test(arguments: [
    ("Wed, 02 Oct 2002 13:00:00 GMT", "2002-10-02T13:00:00Z"),
    ("Wed, 02 Oct 2002 15:00:00 +0200", "2002-10-02T13:00:00Z"),
    ("Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"),
    ("Fri, 21 Nov 1997 09:55:06 -0600", "1997-11-21T15:55:06Z"),
    ("Tue, 1 Jul 2003 10:52:37 +0200", "2003-07-01T08:52:37Z"),
    ("21 Nov 97 09:55:06 GMT", "1997-11-21T09:55:06Z"),
    ("1 Jan 49 00:00 UT", "2049-01-01T00:00:00Z"), ("1 Jan 50 00:00 Z", "1950-01-01T00:00:00Z"),
    ("1 Jan 101 00:00 UTC", "2001-01-01T00:00:00Z"),
    ("wed, 02 OCT 2002 09:00:00 EDT", "2002-10-02T13:00:00Z"),
    ("2 Oct 2002 08:00 EST", "2002-10-02T13:00:00Z"),
    ("2 Oct 2002 08:00 CDT", "2002-10-02T13:00:00Z"),
    ("2 Oct 2002 07:00 CST", "2002-10-02T13:00:00Z"),
    ("2 Oct 2002 07:00 MDT", "2002-10-02T13:00:00Z"),
    ("2 Oct 2002 06:00 MST", "2002-10-02T13:00:00Z"),
    ("2 Oct 2002 06:00 PDT", "2002-10-02T13:00:00Z"),
    ("2 Oct 2002 05:00 PST", "2002-10-02T13:00:00Z"),
    ("Wed,  2 Oct  2002 06:00:00 -0700 (PDT)", "2002-10-02T13:00:00Z"),
    ("31 Dec 1998 23:59:60 +0000", "1999-01-01T00:00:00Z"),
  ])
  func `rfc2822 reads dates of e-mail and HTTP`(text: String, instant: String) throws {
    #expect(try Self.read(text, "rfc2822") == instant)
  }

  @Test(arguments: [
    "Thu, 02 Oct 2002 13:00:00 GMT", "Wed 02 Oct 2002 13:00:00 GMT", "Wed, 02 Oct 2002 13:00:00",
    "Wed, 31 Nov 2002 13:00:00 GMT", "Wed, 02 Okt 2002 13:00:00 GMT", "2 Oct 2002 13:00 CET",
    "2 Oct 2002 13:00 A", "2 Oct 2002 13:00 GMTX", "2 Oct 2002 13:00 ESTEDT", "2 Oct 2 13:00 GMT",
    "2 Oct 20022 13:00 GMT", "2 Oct 2002 1:00 GMT", "2 Oct 2002 13 GMT",
    "2 Oct 2002 13:00 GMT (", "2 Oct 2002 13:00 GMT x", "2 Oct 2002 13:00GMT", "Wed, ",
    "0 Oct 2002 13:00 GMT", "2 Oct 2002 13:00 +02:", "Wednesday, 02-Oct-02 13:00:00 GMT", "",
  ])
  func `rfc2822 refuses contradictions, unknown zones and other forms`(text: String) throws {
    #expect(try Self.read(text, "rfc2822") == nil)
  }

  @Test(arguments: [
    ("EEE MMM dd HH:mm:ss Z yyyy", "Wed Aug 27 13:08:45 +0000 2008", "2008-08-27T13:08:45Z"),
    ("yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "2024-02-29T12:30:00.125+02:00", "2024-02-29T10:30:00.125Z"),
    ("yyyy-MM-dd'T'HH:mm:ssXXX", "2024-02-29T12:30:00Z", "2024-02-29T12:30:00Z"),
    ("yyyyMMddHHmmssxx", "20240229123000-0130", "2024-02-29T14:00:00Z"),
    ("yyyy/M/d H:m:s", "2024/2/9 1:2:3", "2024-02-09T01:02:03Z"),
    ("M/d/yy h:mm a", "2/29/24 12:05 AM", "2024-02-29T00:05:00Z"),
    ("M/d/yy h:mm a", "2/29/24 12:05 pm", "2024-02-29T12:05:00Z"),
    ("M/d/yyyy hh:mm:ssa", "12/9/2024 01:05:59PM", "2024-12-09T13:05:59Z"),
    ("EEEE, d MMMM yyyy HH:mm z", "Thursday, 29 February 2024 07:30 EST", "2024-02-29T12:30:00Z"),
    ("dd.MM.yyyy HH 'o''clock' X", "29.02.2024 12 o'clock +01", "2024-02-29T11:00:00Z"),
    ("dd.MM.yyyy HH''mm x", "29.02.2024 12'30 +0130", "2024-02-29T11:00:00Z"),
    (
      "yyyy-MM-dd HH:mm:ss.SSSSSSSSS", "2024-02-29 12:30:00.123456789",
      "2024-02-29T12:30:00.123456Z"
    ),
    ("yyyy-MM-dd HH:mm:ss.S", "2024-02-29 12:30:00.5", "2024-02-29T12:30:00.500Z"),
    ("d MMM yyyy", "1 May 2024", "2024-05-01T00:00:00Z"),
    ("yyyy年M月d日", "2024年2月29日", "2024-02-29T00:00:00Z"),
    ("xxx yyyy-MM-dd HH", "-03:30 2024-02-29 12", "2024-02-29T15:30:00Z"),
  ])
  func `a pattern reads its texts, in UTC if it has no zone`(
    pattern: String, text: String, instant: String
  ) throws {
    let hasZone = pattern.contains { "XxzZ".contains($0) }
    #expect(try Self.read(text, pattern, zone: hasZone ? nil : 0) == instant)
    for other in [text + " ", " " + text, String(text.dropLast()), ""] {
      #expect(try Self.read(other, pattern, zone: 0) == nil)
    }
  }

  @Test(arguments: [
    ("dd.MM.yyyy", "9.02.2024"), ("dd.MM.yyyy", "30.02.2024"), ("dd.MM.yyyy", "29.13.2024"),
    ("dd.MM.yyyy", "29.02.24"), ("dd.MM.yyyy", "29/02/2024"), ("d.M.yyyy", "029.2.2024"),
    ("EEE dd.MM.yyyy", "Wed 29.02.2024"), ("d MMM yyyy", "1 Mai 2024"),
    ("d MMM yyyy", "1 March 2024"), ("d MMMM yyyy", "1 Mar 2024"),
    ("yyyy-MM-dd HH", "2024-02-29 24"),
    ("yyyy-MM-dd hh a", "2024-02-29 13 PM"), ("yyyy-MM-dd hh a", "2024-02-29 00 AM"),
    ("yyyy-MM-dd HH z", "2024-02-29 12 CEST"), ("yyyy-MM-dd HHxxx", "2024-02-29 12+0200"),
    ("yyyy-MM-dd HHxx", "2024-02-29 12+02:00"), ("yyyy-MM-dd HHxx", "2024-02-29 12Z"),
    ("yyyy-MM-dd HHxxx", "2024-02-29 12Z"), ("yyyy-MM-dd HHXXX", "2024-02-29 12z"),
    ("yyyy-MM-dd HH:mm:ss", "2024-02-29 12:30:60"),
  ])
  func `a pattern refuses other texts`(pattern: String, text: String) throws {
    #expect(try Self.read(text, pattern, zone: 0) == nil)
  }

  @Test(arguments: [
    ("", "needs a year"), ("HHXyyyy-MM-dd", "a zone of two or four digits"),
    ("HH:mm", "needs a year"), ("MM/yyyy", "needs a year"),
    ("yyyy-MM-ddTHH:mm", "\"T\" is not a part"), ("yyy-MM-dd", "\"yyy\" is not a part"),
    ("yyyy-MM-dd-MMM", "\"MMM\" repeats"), ("yyyy-MM-dd xx'x'X", "\"X\" repeats"),
    ("yyyy-MM-dd HH hh a", "\"hh\" repeats"), ("yyyy-MM-dd hh", "need each other"),
    ("yyyy-MM-dd a", "need each other"), ("yyyy-MM-dd mm", "\"m\" without"),
    ("yyyy-MM-dd HH:ss", "\"s\" without"), ("yyyy-MM-dd HH:mm.SSS", "\"S\" without"),
    ("yyyy-MM-dd X", "a zone and no hour"), ("Mdyyyy", "followed by another digit"),
    ("yyyy-MM-d1", "followed by another digit"), ("yyyy-MM-dd'T", "an apostrophe is missing"),
    ("yyyy-MM-dd'T''", "an apostrophe is missing"),
    ("yyyy-MM-dd HH:mm:ss.SSSSSSSSSS", "not a part"),
    ("yyyy-MM-dd HH:mm:ss VV", "\"VV\" is not a part"), ("ISO8601", "\"I\" is not a part"),
  ])
  func `a pattern that cannot be read is refused with the reason`(
    pattern: String, reason: String
  ) {
    let error = #expect(throws: DatePattern.Refusal.self) { try DatePattern(pattern) }
    #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
  }

  /// - Parameter unit: the smallest unit that the pattern has, in microseconds.
  @Test(arguments: [
    ("iso8601", 1), ("rfc2822", 1_000_000), ("EEE MMM dd HH:mm:ss Z yyyy", 1_000_000),
    ("yyyy-MM-dd HH:mm:ss.SSSSSS", 1), ("yyyy/M/d H:m:s.SSS XXX", 1_000),
    ("d MMMM yyyy h:mm:ss.SSSSSSSSS a", 1), ("EEEE, dd.MM.yyyy 'um' hh:mm a z", 60_000_000),
    ("yyyyMMddHHmmX", 60_000_000), ("yyyy-MM-dd'T'HHxx", 3_600_000_000),
    ("dd-MM-yyyy", 86_400_000_000),
    ("yyyy-MM-dd HH:mm:ss.S x", 100_000), ("HH:mm:ss dd.MM.yyyy xxx", 1_000_000),
  ])
  func `an instant is written as the pattern reads it`(text: String, unit: Int64) throws {
    let pattern = try DatePattern(text)
    let seed = UInt64.random(in: 0...UInt64.max)
    var generator = SplitMix64(seed: seed)
    for offset in [0, -90, 330] {
      for _ in 0..<200 {
        let random = Int64.random(in: Instant.range, using: &generator) / unit * unit
        // With a zone of its own a text without time begins the day there.
        let shift = pattern.hasZone ? 0 : Int64(offset) * 60_000_000
        let instant = Instant(microseconds: random - shift)
        guard Instant.range.contains(instant.microseconds) else { continue }
        var written = GrowableBuffer<UInt8>()
        pattern.append(instant, offsetMinutes: offset, to: &written)
        let read = pattern.instant(written.span, defaultOffsetMinutes: offset)
        #expect(read == instant, "seed \(seed), \(String(copying: written.span))")
      }
    }
  }

  @Test func `a day is written as the pattern reads it`() throws {
    for (text, written) in [
      ("d. MMMM yyyy", "9. February 2024"), ("dd/MM/yy", "09/02/24"), ("yyyyMMdd", "20240209"),
      ("EEEE d MMM yyyy", "Friday 9 Feb 2024"),
    ] {
      let pattern = try DatePattern(text)
      var output = GrowableBuffer<UInt8>()
      #expect(pattern.append(date: "2024-02-09".utf8Span.span, to: &output))
      #expect(String(copying: output.span) == written)
      #expect(!pattern.append(date: "2024-02-30".utf8Span.span, to: &output))
    }
  }
}
