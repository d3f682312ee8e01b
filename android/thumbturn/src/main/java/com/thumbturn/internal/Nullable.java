package com.thumbturn.internal;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks what may be null; everything unmarked in this package is not.
 *
 * <p>Kotlin knows nullability annotations by their full names only, and it never calls this package. So this one serves readers,
 * and costs no dependency.
 */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER})
@interface Nullable {}
