package androidx.annotation;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * The API level from which a method may be called, for lint.
 *
 * <p>{@code scripts/check-android-api} demands it of each method that uses a member newer than minSdk, and demands of its callers
 * that they are marked too or read {@code SDK_INT}.
 */
@Retention(RetentionPolicy.CLASS)
@Target({
    ElementType.TYPE, ElementType.METHOD, ElementType.CONSTRUCTOR, ElementType.FIELD, ElementType.PACKAGE
})
public @interface RequiresApi {
    int value() default 1;

    int api() default 1;
}
