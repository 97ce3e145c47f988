internal import JSONStreaming

/// Equality of JSON values, as defined by JSON Schema (2020-12, section 4.2.2): numbers by their value,
/// strings by their scalar values, objects in any order of their members.
extension Tape {
  /// Whether the value at `index` equals the value at `otherIndex` of another tape.
  ///
  /// - Complexity: O(n) in the tokens of a value; O(n log n) for objects with different member orders.
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

  /// Whether two objects of equal member count have equal members. Members with a repeated name are
  /// compared in their order.
  private func hasMembers(at index: Int, equalToThoseAt otherIndex: Int, of other: Tape) -> Bool {
    var (key, otherKey) = (index + 1, otherIndex + 1)
    // Most objects have the same member order.
    while self[key].kind == .key, hasName(at: key, equalTo: otherKey, of: other) {
      guard hasValue(at: key + 1, equalTo: otherKey + 1, of: other) else { return false }
      key = end(ofValueAt: key + 1)
      otherKey = other.end(ofValueAt: otherKey + 1)
    }
    for (key, otherKey) in zip(sortedKeys(from: key), other.sortedKeys(from: otherKey)) {
      guard hasName(at: key, equalTo: otherKey, of: other),
        hasValue(at: key + 1, equalTo: otherKey + 1, of: other)
      else { return false }
    }
    return true
  }

  private func hasName(at key: Int, equalTo otherKey: Int, of other: Tape) -> Bool {
    text(of: self[key]).hasSameBytes(as: other.text(of: other[otherKey]))
  }

  /// The keys of an object from `first` on, sorted by name and then by index.
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

  /// A hash of the value at `index`, equal for equal values.
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
      // The sum does not depend on the member order.
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
  fileprivate func order(_ other: Span<UInt8>) -> Int {
    for index in 0..<Swift.min(count, other.count) where self[index] != other[index] {
      return self[index] < other[index] ? -1 : 1
    }
    return count - other.count
  }
}

enum JSONScalar {
  static func areEqual(_ kind: Token.Kind, _ left: Span<UInt8>, _ right: Span<UInt8>) -> Bool {
    kind == .number
      ? ExactNumber(left) == ExactNumber(right) : left.hasSameBytes(as: right)
  }

  /// A hash of a scalar, equal for equal scalars; only strings and numbers use `text`.
  static func hash(_ kind: Token.Kind, _ text: Span<UInt8>) -> UInt64 {
    var hash = TableHash()
    hash.add(UInt64(kind.rawValue))
    switch kind {
    case .string, .key: hash.add(text.tableHash)
    case .number:
      let number = ExactNumber(text)
      hash.add(number.digits)
      hash.add(UInt64(bitPattern: Int64(number.exponent)))
      for digit in number.rest { hash.add(UInt64(digit)) }
    default: break
    }
    return hash.value
  }
}
