package androidx.annotation;

/** Tells Kotlin and lint that a value may be null. */
public @interface Nullable {}
