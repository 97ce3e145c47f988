internal import POIRecords

/// The hash of a key: the 128 bits of MurmurHash3 of its `CanonicalKey`.
///
/// Equal keys have equal hashes; different keys may have the same one. It is:
///
/// - the value of the enforced hash column, as a blob of 16 bytes;
/// - half of the `SortKey` of a key that fits no other form.
struct KeyHash: Equatable {
  let digest: Digest

  /// The value of the hash column: the bytes in the order in which MurmurHash3 defines them.
  var bytes: [UInt8] { digest.bytes }
}
