//! Compares JSON with the schemas of `docs/public-api.json`: the part of JSON Schema that it uses.

use serde_json::Value;

/// The description of the public documents.
pub struct Api(Value);

impl Api {
    /// Reads the file.
    pub fn read() -> Api {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/public-api.json");
        Api(serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap())
    }

    /// Its paths.
    pub fn paths(&self) -> Vec<&str> {
        self.0["paths"].as_object().unwrap().keys().map(String::as_str).collect()
    }

    /// Panics unless the value has this schema.
    #[track_caller]
    pub fn assert(&self, schema: &str, value: &Value) {
        let mut problems = Vec::new();
        self.check(&self.0["components"]["schemas"][schema], value, schema, &mut problems);
        assert!(problems.is_empty(), "{schema}: {problems:#?}\n{value:#}");
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, problems: &mut Vec<String>) {
        if let Some(name) = schema["$ref"].as_str() {
            let schema = self.0.pointer(name.trim_start_matches('#')).unwrap_or_else(|| panic!("there is no {name}"));
            return self.check(schema, value, at, problems);
        }
        if let Some(choices) = schema["oneOf"].as_array() {
            let fits = |choice: &&Value| {
                let mut found = Vec::new();
                self.check(choice, value, at, &mut found);
                found.is_empty()
            };
            if choices.iter().filter(fits).count() != 1 {
                problems.push(format!("{at} is none of the choices: {value}"));
            }
            return;
        }
        let kinds: Vec<&str> = match &schema["type"] {
            Value::String(kind) => vec![kind],
            Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect(),
            other => panic!("{at} has no type: {other}"),
        };
        let is_kind = |kind: &&str| match *kind {
            "object" => value.is_object(),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "null" => value.is_null(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            other => panic!("{at} has type {other}"),
        };
        if !kinds.iter().any(is_kind) {
            problems.push(format!("{at} should be {kinds:?}: {value}"));
            return;
        }
        if schema["enum"].as_array().is_some_and(|words| !words.contains(value)) {
            problems.push(format!("{at} is no word of the list: {value}"));
        }
        if schema.get("const").is_some_and(|only| only != value) {
            problems.push(format!("{at} should be {}: {value}", schema["const"]));
        }
        if let (Some(minimum), Some(number)) = (schema["minimum"].as_f64(), value.as_f64())
            && number < minimum
        {
            problems.push(format!("{at} is below {minimum}: {value}"));
        }
        for (index, item) in value.as_array().into_iter().flatten().enumerate() {
            self.check(&schema["items"], item, &format!("{at}[{index}]"), problems);
        }
        let Some(fields) = value.as_object() else { return };
        for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            if !fields.contains_key(name) {
                problems.push(format!("{at} has no {name}"));
            }
        }
        for (name, field) in fields {
            match (schema["properties"].get(name), &schema["additionalProperties"]) {
                (Some(schema), _) => self.check(schema, field, &format!("{at}.{name}"), problems),
                (None, Value::Object(_)) => {
                    self.check(&schema["additionalProperties"], field, &format!("{at}.{name}"), problems);
                }
                (None, _) => problems.push(format!("{at}.{name} is not described: {field}")),
            }
        }
    }
}
