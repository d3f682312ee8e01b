package com.thumbturn.internal;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/** Runs all tests; the process fails if one does. */
public final class Tests {
    private static final List<Class<?>> CLASSES = List.of(
            MessageTests.class,
            BridgeTests.class,
            FactsTests.class,
            KeyTests.class,
            PromptFormTests.class,
            PromptTests.class,
            PhasesTests.class,
            HttpTests.class,
            ApiTests.class);

    private Tests() {}

    public static void main(String[] arguments) throws ReflectiveOperationException {
        int run = 0;
        int failed = 0;
        for (Class<?> type : CLASSES) {
            Method[] methods = type.getDeclaredMethods();
            Arrays.sort(methods, Comparator.comparing(Method::getName));
            for (Method method : methods) {
                Test test = method.getAnnotation(Test.class);
                if (test == null) {
                    continue;
                }
                run++;
                try {
                    method.invoke(type.getDeclaredConstructor().newInstance());
                } catch (InvocationTargetException thrown) {
                    failed++;
                    System.err.println("FAILED " + type.getSimpleName() + ": " + test.value());
                    thrown.getCause().printStackTrace();
                }
            }
        }
        System.out.println("android: " + run + " Java tests ran, " + failed + " failed");
        System.exit(failed == 0 ? 0 : 1);
    }
}
