internal import JSONStreaming

/// Equality of JSON values, as JSON Schema (2020-12, section 4.2.2) has it: numbers by what they
/// stand for, texts by their scalar values, objects whatever the order of their members.
extension Tape {
  /// Whether the value that starts at `index` equals the one at `otherIndex` of another tape.
  ///
  /// - Complexity: O(n) in the tokens of a value; large objects whose members stand in different order
  ///   are sorted, which is O(n log n).
  func hasValue(at index: Int, equalTo otherIndex: Int, of other: Tape) -> Bool {
    let (token, otherToken) = (self[index], other[otherIndex])
    guard token.kind == otherToken.kind else { return false }
    switch token.kind {
    case .null, .true, .false: return true
    case .number, .string, .key:
      return JSONScalar.areEqual(token.kind, text(of: token), other.text(of: otherToken))
    case .startArray:
      guard token.elementCount == otherToken.elementCount else { return false }
      var (place, otherPlace) = (index + 1, otherIndex + 1)
      while self[place].kind != .endArray {
        guard hasValue(at: place, equalTo: otherPlace, of: other) else { return false }
        place = end(ofValueAt: place)
        otherPlace = other.end(ofValueAt: otherPlace)
      }
      return true
    case .startObject:
      return token.elementCount == otherToken.elementCount
        && hasMembers(at: index, equalToThoseAt: otherIndex, of: other)
    case .endArray, .endObject: return false
    }
  }

  /// The most members of an object that are searched one by one, which takes no memory.
  private static var searchedMemberLimit: Int { 16 }

  /// Whether each member of one object equals one of the other, which has as many. Of a name that
  /// stands there several times the first belongs to the first, and so on: no value is compared twice.
  private func hasMembers(at index: Int, equalToThoseAt otherIndex: Int, of other: Tape) -> Bool {
    var (key, expected) = (index + 1, otherIndex + 1)
    // Mostly the members stand in the same order.
    var isInOrder = true
    while self[key].kind == .key {
      let name = text(of: self[key])
      isInOrder = isInOrder && other.text(of: other[expected]).hasSameBytes(as: name)
      if !isInOrder {
        guard self[index].elementCount <= Self.searchedMemberLimit else {
          return hasMembers(from: key, equalToThoseFrom: expected, of: other)
        }
        let earlier = count(of: name, inObjectAt: index, before: key)
        guard let place = other.member(name, behind: earlier, ofObjectAt: otherIndex) else {
          return false
        }
        expected = place
      }
      guard hasValue(at: key + 1, equalTo: expected + 1, of: other) else { return false }
      expected = other.end(ofValueAt: expected + 1)
      key = end(ofValueAt: key + 1)
    }
    return true
  }

  /// Whether the members of an object from the one at `key` on equal as many of the other, both brought
  /// into the order of their names.
  @inline(never)
  private func hasMembers(from key: Int, equalToThoseFrom otherKey: Int, of other: Tape) -> Bool {
    for (key, otherKey) in zip(sortedKeys(from: key), other.sortedKeys(from: otherKey)) {
      guard text(of: self[key]).hasSameBytes(as: other.text(of: other[otherKey])),
        hasValue(at: key + 1, equalTo: otherKey + 1, of: other)
      else { return false }
    }
    return true
  }

  /// The members of an object from the one at `first` on, by their names; those of one name stay as they
  /// stand.
  private func sortedKeys(from first: Int) -> [Int] {
    var keys: [Int] = []
    var key = first
    while self[key].kind == .key {
      keys.append(key)
      key = end(ofValueAt: key + 1)
    }
    keys.sort { left, right in
      let order = text(of: self[left]).order(text(of: self[right]))
      return order == 0 ? left < right : order < 0
    }
    return keys
  }

  /// How many members of that name an object has before the one at `end`.
  private func count(of name: Span<UInt8>, inObjectAt index: Int, before end: Int) -> Int {
    var (key, count) = (index + 1, 0)
    while key < end {
      if text(of: self[key]).hasSameBytes(as: name) { count += 1 }
      key = self.end(ofValueAt: key + 1)
    }
    return count
  }

  /// The index of the member of that name that comes behind so many others of it.
  private func member(
    _ name: Span<UInt8>, behind earlier: Int, ofObjectAt index: Int
  ) -> Int? {
    var (key, left) = (index + 1, earlier)
    while self[key].kind == .key {
      if text(of: self[key]).hasSameBytes(as: name) {
        if left == 0 { return key }
        left -= 1
      }
      key = end(ofValueAt: key + 1)
    }
    return nil
  }

  /// A hash of the value that starts at `index`, the same for equal values.
  ///
  /// - Complexity: O(n) in the bytes of the value.
  func valueHash(at index: Int) -> UInt64 {
    let token = self[index]
    var hash = TableHash()
    hash.add(UInt64(token.kind.rawValue))
    switch token.kind {
    case .null, .true, .false, .endArray, .endObject: return JSONScalar.hash(token.kind, Span())
    case .number, .string, .key: return JSONScalar.hash(token.kind, text(of: token))
    case .startArray:
      var place = index + 1
      while self[place].kind != .endArray {
        hash.add(valueHash(at: place))
        place = end(ofValueAt: place)
      }
    case .startObject:
      // A sum, so that the order of the members does not matter.
      var (key, sum) = (index + 1, UInt64(0))
      while self[key].kind == .key {
        var member = TableHash()
        member.add(text(of: self[key]).tableHash)
        member.add(valueHash(at: key + 1))
        sum &+= member.value
        key = end(ofValueAt: key + 1)
      }
      hash.add(sum)
    }
    return hash.value
  }
}

extension Span where Element == UInt8 {
  /// Less than 0 where these bytes stand before the others, more where behind, 0 where they are the same.
  fileprivate func order(_ other: Span<UInt8>) -> Int {
    for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
      return self[index] < other[index] ? -1 : 1
    }
    return count - other.count
  }
}

/// Scalars of JSON by their kind and text.
enum JSONScalar {
  /// Whether two scalars of one kind are equal.
  static func areEqual(_ kind: Token.Kind, _ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    kind == .number ? ExactNumber.areEqual(left, right) : left.hasSameBytes(as: right)
  }

  /// A hash of a scalar, the same for equal ones.
  ///
  /// - Parameter text: the unescaped text of a string, the lexeme of a number; of others it does not
  ///   count.
  static func hash(_ kind: Token.Kind, _ text: Span<UInt8>) -> UInt64 {
    var hash = TableHash()
    hash.add(UInt64(kind.rawValue))
    switch kind {
    case .string, .key: hash.add(text.tableHash)
    case .number:
      let number = ExactNumber(text)
      hash.add(number.digits)
      hash.add(UInt64(bitPattern: Int64(number.exponent)))
      if number.isCutOff { add(digitsOf: text, to: &hash) }
    default: break
    }
    return hash.value
  }

  /// Adds the digits that are not 0, each with its place: numbers that begin with the same ones are
  /// told apart by the others.
  private static func add(digitsOf text: Span<UInt8>, to hash: inout TableHash) {
    var digits = SignificantDigits(text)
    var place: UInt64 = 0
    while let digit = digits.next() {
      if digit != 0 { hash.add(place * 10 + UInt64(digit)) }
      place += 1
    }
  }
}
