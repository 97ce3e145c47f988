import Testing

@testable import POIRecords

@Suite struct CanonicalContentTests {
  private func digest(_ fill: (inout CanonicalContent) -> Void) -> Digest {
    var content = CanonicalContent()
    fill(&content)
    return content.digest
  }

  @Test func `a row has the digest that another program computes from the documented bytes`() {
    let text = Array("POI 0 ☕".utf8)
    let category = Array("Category name".utf8)
    let digest = digest { content in
      let start = content.beginRelated(nameTag: CanonicalContent.nameTag("category"))
      content.append(text: category.span, nameTag: CanonicalContent.nameTag("name"))
      content.endRelated(at: start)
      content.append(integer: -7, nameTag: CanonicalContent.nameTag("count"))
      content.append(real: 10.12339973449707, nameTag: CanonicalContent.nameTag("latitude"))
      content.append(real: 9, nameTag: CanonicalContent.nameTag("longitude"))
      content.append(text: text.span, nameTag: CanonicalContent.nameTag("name"))
      content.append(blob: ([0, 255] as [UInt8]).span, nameTag: CanonicalContent.nameTag("photo"))
      #expect(content.bytes.count == 127)
    }
    #expect(digest.description == "69f19eb589e813116ea404a054e86669")
  }

  @Test func `a row without values counts like any other`() {
    #expect(digest { _ in } == MurmurHash3.digest(of: [0].span))
    #expect(digest { _ in }.description == "51622daa78f835834610abe56eff5cb5")
  }

  @Test func `a real without fraction is the integer`() {
    #expect(
      digest { $0.append(real: 2, nameTag: 1) } == digest { $0.append(integer: 2, nameTag: 1) })
    #expect(
      digest { $0.append(real: -0.0, nameTag: 1) } == digest { $0.append(integer: 0, nameTag: 1) })
    #expect(
      digest { $0.append(real: -0x1p63, nameTag: 1) }
        == digest { $0.append(integer: .min, nameTag: 1) })
    let beyond = digest { $0.append(real: 0x1p63, nameTag: 1) }
    #expect(beyond != digest { $0.append(integer: .max, nameTag: 1) })
    #expect(beyond != digest { $0.append(integer: .min, nameTag: 1) })
    #expect(digest { $0.append(real: .nan, nameTag: 1) } == digest { _ in })
  }

  @Test func `types, names and borders between fields matter`() {
    let a: [UInt8] = [97]
    let ab: [UInt8] = [97, 98]
    let b: [UInt8] = [98]
    let empty: [UInt8] = []
    let digests = [
      digest { _ in },
      digest { $0.append(text: a.span, nameTag: 1) },
      digest { $0.append(text: a.span, nameTag: 2) },
      digest { $0.append(blob: a.span, nameTag: 1) },
      digest { $0.append(text: empty.span, nameTag: 1) },
      digest { $0.append(blob: empty.span, nameTag: 1) },
      digest { $0.append(integer: 97, nameTag: 1) },
      digest { $0.append(real: 97.5, nameTag: 1) },
      digest {
        $0.append(text: ab.span, nameTag: 1)
        $0.append(text: empty.span, nameTag: 2)
      },
      digest {
        $0.append(text: a.span, nameTag: 1)
        $0.append(text: b.span, nameTag: 2)
      },
      digest {
        let start = $0.beginRelated(nameTag: 1)
        $0.append(text: a.span, nameTag: 1)
        $0.endRelated(at: start)
      },
      digest {
        let start = $0.beginRelated(nameTag: 1)
        $0.endRelated(at: start)
        $0.append(text: a.span, nameTag: 1)
      },
    ]
    #expect(Set(digests).count == digests.count)
  }

  @Test func `a text of any length is complete in the content`() {
    let text = (0..<300).map { UInt8(($0 * 7 + 3) % 256) }
    for count in 0...300 {
      var content = CanonicalContent()
      content.append(text: text.span.extracting(first: count), nameTag: 0x0807_0605_0403_0201)
      content.append(integer: -2, nameTag: 1)
      let expected: [UInt8] =
        [1, 2, 3, 4, 5, 6, 7, 8, UInt8(ascii: "t"), UInt8(count % 256), UInt8(count / 256), 0, 0]
        + text[..<count]
        + [1, 0, 0, 0, 0, 0, 0, 0, UInt8(ascii: "i"), 254, 255, 255, 255, 255, 255, 255, 255]
      #expect(content.bytes.indices.map { content.bytes[$0] } == expected)
    }
  }

  @Test func `contents are compared by their bytes`() {
    var a = CanonicalContent()
    var ab = CanonicalContent()
    var b = CanonicalContent()
    a.append(integer: 1, nameTag: 1)
    ab.append(integer: 1, nameTag: 1)
    ab.append(integer: 1, nameTag: 2)
    b.append(integer: 255, nameTag: 1)
    let orders = [
      a.compareBytes(with: a), a.compareBytes(with: ab), ab.compareBytes(with: a),
      ab.compareBytes(with: b), b.compareBytes(with: a),
    ]
    #expect(orders.map { $0.signum() } == [0, -1, 1, -1, 1])
    let equalities = [a.hasSameBytes(as: a), a.hasSameBytes(as: ab)]
    #expect(equalities == [true, false])
  }

  @Test func `a content is reused for the next row`() {
    var content = CanonicalContent()
    content.append(integer: 1, nameTag: 1)
    let first = content.digest
    content.removeAll()
    #expect(content.bytes.count == 0)
    content.append(integer: 1, nameTag: 1)
    #expect(content.digest == first)
  }

  @Test func `names are ordered by their bytes`() {
    let names = ["b", "a", "Z", "é", "aa", "", "a b"]
    #expect(
      names.sorted(by: CanonicalContent.precedes) == ["", "Z", "a", "a b", "aa", "b", "é"])
  }
}
