/// A noncopyable value on the heap.
///
/// The compiler checks the use of noncopyable values part by part, in time that grows faster than the number of
/// parts. With a `BatchWriter` inside, a `RunWriter` took five times as long to compile.
final class Boxed<Value: ~Copyable> {
  var value: Value

  init(_ value: consuming Value) { self.value = value }
}
