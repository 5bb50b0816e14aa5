package work

import (
	"regexp"
	"strings"

	workv1 "open-cluster-management.io/api/work/v1"
)

// selectConfig merges what the configs of a work ask for one manifest. Feedback rules and
// update strategy each come from the first matching config that has any; the scrape type comes
// from the last matching one. A scrape type alone asks for nothing.
func selectConfig(object workv1.ManifestResourceMeta, configs []manifestConfig) manifestConfig {
	var selected manifestConfig
	for _, config := range configs {
		if !matches(object, config.ResourceIdentifier) {
			continue
		}
		if len(selected.FeedbackRules) == 0 {
			selected.FeedbackRules = config.FeedbackRules
		}
		if len(selected.ConditionRules) == 0 {
			selected.ConditionRules = config.ConditionRules
		}
		if selected.UpdateStrategy == nil {
			selected.UpdateStrategy = config.UpdateStrategy
		}
		selected.FeedbackScrapeType = config.FeedbackScrapeType
	}
	if len(selected.FeedbackRules) == 0 && len(selected.ConditionRules) == 0 && selected.UpdateStrategy == nil {
		return manifestConfig{}
	}
	return selected
}

// matches tells whether the identifier means the object. Its name and namespace may hold "*".
func matches(object workv1.ManifestResourceMeta, identifier workv1.ResourceIdentifier) bool {
	return object.Group == identifier.Group &&
		object.Resource == identifier.Resource &&
		globMatches(identifier.Namespace, object.Namespace) &&
		globMatches(identifier.Name, object.Name)
}

func globMatches(glob, value string) bool {
	if !strings.Contains(glob, "*") {
		return glob == value
	}
	pattern := strings.ReplaceAll(regexp.QuoteMeta(glob), `\*`, ".*")
	matched, err := regexp.MatchString("^"+pattern+"$", value)
	return err == nil && matched
}
