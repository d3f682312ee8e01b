package com.thumbturn.fake;

import java.lang.reflect.Constructor;

/** Makes objects whose constructors the public API does not have. */
final class Hidden {
    private Hidden() {}

    static <T> T make(Class<T> type, Object... arguments) {
        try {
            Constructor<?> constructor = type.getDeclaredConstructors()[0];
            constructor.setAccessible(true);
            return type.cast(constructor.newInstance(arguments));
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
