public import Testing

/// `#expect(value == expected)` for values that are awaited from an actor or an existential, which the macro cannot unfold.
public func expect<Value: Equatable>(
    _ value: Value, is expected: Value, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(value == expected, comment, sourceLocation: sourceLocation)
}
