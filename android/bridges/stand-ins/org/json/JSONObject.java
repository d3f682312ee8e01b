package org.json;

public class JSONObject {
    public static final Object NULL = new Object();

    public JSONObject() {}

    public JSONObject(String json) throws JSONException {}

    public String getString(String name) throws JSONException {
        throw new JSONException("a stand-in");
    }

    public JSONObject put(String name, Object value) throws JSONException {
        return this;
    }
}
