package android.content;

import java.util.HashMap;
import java.util.Map;

public class Intent {
    public static final int FLAG_ACTIVITY_NEW_TASK = 0x10000000;

    private final String action;
    private final Map<String, Integer> numbers = new HashMap<>();
    private int flags;

    public Intent(String action) {
        this.action = action;
    }

    public Intent addFlags(int flags) {
        this.flags |= flags;
        return this;
    }

    public String getAction() {
        return action;
    }

    public int getFlags() {
        return flags;
    }

    public int getIntExtra(String name, int defaultValue) {
        return numbers.getOrDefault(name, defaultValue);
    }

    public Intent putExtra(String name, int value) {
        numbers.put(name, value);
        return this;
    }
}
