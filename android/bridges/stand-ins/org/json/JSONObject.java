package org.json;

import java.util.LinkedHashMap;
import java.util.Map;

/** Writes as a map does; reads nothing. */
public class JSONObject {
    public static final Object NULL = new Object();

    private final Map<Object, Object> members = new LinkedHashMap<>();

    public JSONObject() {}

    public JSONObject(Map<?, ?> members) {
        this.members.putAll(members);
    }

    public JSONObject(String json) throws JSONException {}

    public String getString(String name) throws JSONException {
        throw new JSONException("a stand-in");
    }

    @Override
    public String toString() {
        return members.toString();
    }
}
